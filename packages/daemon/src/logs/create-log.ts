import { writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import { redact, redactText } from './redact.ts';

/** Problems only, or each call too. */
export type LogLevel = 'silent' | 'warn' | 'info';

/** Lines that cannot be written are lost, and nothing else: pino's own way throws, and waits for ever at the end. */
const STANDARD_ERROR: DestinationStream = {
  write(line) {
    try {
      writeSync(2, line);
    } catch {}
  },
};

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
    destination ?? STANDARD_ERROR,
  );
}
