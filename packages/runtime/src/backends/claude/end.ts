import { type ErrorCode, errorInfo } from '@baton/protocol';
import type { StreamEnd, Verdict } from '../../dialect.ts';
import { judgeEnd } from '../../normalize/end.ts';
import { errorText } from '../../normalize/error-text.ts';
import { errorOf } from './errors.ts';
import { LABEL } from './name.ts';
import type { TurnClues } from './result.ts';

/** What Claude prints on standard error without meaning a failure. */
export const NOISE = [
  /^Warning: no stdin data received in/,
  /^Ignoring \d+ permissions\.\w+ entr(y|ies) from /,
];

const REFUSALS: readonly (readonly [RegExp, ErrorCode, string?])[] = [
  [/cannot be used with root\/sudo privileges/, 'root_refused'],
  [/No conversation found with session ID|does not match any session title/, 'session_not_found'],
  [
    /^Error: Session ID .+ is already in use/m,
    'usage',
    'Resume the session, or choose another id for a new one.',
  ],
  [/^error: /m, 'usage'],
  [/^Error: (--\S+ |Invalid |Input must be provided)/m, 'usage'],
];

/** Ends of a process about which its last words can tell more. */
const UNEXPLAINED = new Set<string | undefined>(['agent_crashed', 'output_truncated']);

/** Judges a process that ended before it had ended its turn. */
export function verdictAtEnd(end: StreamEnd, understood: boolean, clues: TurnClues = {}): Verdict {
  const refusal = REFUSALS.find(([pattern]) => pattern.test(end.stderr));
  if (!refusal || end.code === 0 || end.code == null) {
    const verdict = judgeEnd(end, LABEL, { noise: NOISE, understood });
    const { words } = clues;
    // A recording that just stops tells nothing of its end, but Claude has: these were its last words.
    const isCut = end.code === undefined && verdict.outcome !== 'done';
    const isUnexplained = isCut || UNEXPLAINED.has(verdict.error?.code);
    if (!words || end.signal || !isUnexplained) return verdict;
    return { outcome: 'failed', error: errorOf({ ...clues, words }) };
  }
  const [, code, hint] = refusal;
  return {
    outcome: 'failed',
    error: errorInfo(code, errorText(end.stderr, NOISE), hint ? { hint } : {}),
  };
}
