import type { RequestAnswer } from '@baton/protocol';

/**
 * An answer as an agent gets it: for this once, whatever the person said. What holds for longer is a rule of the daemon,
 * which says exactly what it allows and can be removed; the memory of an agent may hold much more.
 */
export function answerForAgent(answer: RequestAnswer): RequestAnswer {
  return 'scope' in answer ? { ...answer, scope: 'once' } : answer;
}
