import { OUTCOME_TABLE, type RunResult } from '@baton/protocol/values';

/** The exit codes of `baton`, which scripts can branch on. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  timeout: 3,
  noSession: 4,
  permissionDenied: 5,
  noDaemon: 6,
  interrupted: 130,
} as const;

/** Errors that the caller can fix by calling differently. */
export const USAGE_CODES: ReadonlySet<string> = new Set([
  'usage',
  'config_invalid',
  'capability_missing',
  'backend_unknown',
  'cwd_missing',
]);

const CODES: Readonly<Record<string, number>> = {
  session_not_found: EXIT.noSession,
  not_found: EXIT.noSession,
  unauthenticated: EXIT.permissionDenied,
  forbidden: EXIT.permissionDenied,
  daemon_unreachable: EXIT.noDaemon,
};

/** The exit code for an error that kept a command from doing its work. */
export function exitCodeOfError(code: string): number {
  if (USAGE_CODES.has(code)) return EXIT.usage;
  return CODES[code] ?? EXIT.failed;
}

/** The exit code for a run that has ended. */
export function exitCodeOfRun(result: RunResult, deniedForNobody: boolean): number {
  if (result.outcome === 'cancelled' || result.outcome === 'timed_out') {
    return OUTCOME_TABLE[result.outcome].shellExitCode;
  }
  if (deniedForNobody) return EXIT.permissionDenied;
  if (result.outcome === 'done') return EXIT.done;
  return exitCodeOfError(result.error?.code ?? '');
}
