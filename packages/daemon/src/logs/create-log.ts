import { type DestinationStream, type Logger, pino } from 'pino';
import { redact, redactText } from './redact.ts';

/** Problems only, or each call too. */
export type LogLevel = 'silent' | 'warn' | 'info';

const STANDARD_ERROR = 2;

/** The log of a daemon: JSON, a line each, without secrets. */
export function createLog(level: LogLevel, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      // Errors are plain by then.
      serializers: { err: (plain: unknown) => plain },
      formatters: { log: (fields) => redact(fields) as Record<string, unknown> },
      // Words and lines of other programs may hold what no name warns of.
      hooks: { streamWrite: redactText },
    },
    destination ?? pino.destination(STANDARD_ERROR),
  );
}
