import type { Attempt } from './agent-runtime.ts';

/** What agents print when they cannot continue a session. For adapters that report no error code. */
const SESSION_ERROR =
  /\b(?:session|conversation|thread)\b.*\b(?:not found|does not exist|invalid|corrupt(?:ed)?|expired)\b|\bno (?:session|conversation|thread) found\b|\binvalid (?:session|conversation|thread)\b/i;

/** Whether an agent failed because it could not continue its session. */
export function isSessionError({ isError, responseText, failure }: Attempt): boolean {
  if (!isError) return false;
  return failure?.code === 'session_not_found' || SESSION_ERROR.test(responseText ?? '');
}
