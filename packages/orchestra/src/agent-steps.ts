import type { AgentStep, Step } from './chain.ts';

/** The agent steps of a chain, also those inside others, with their paths. */
export function* agentSteps(
  steps: readonly Step[],
  prefix = '',
): Generator<{ path: string; step: AgentStep }> {
  for (const step of steps) {
    const path = prefix + step.id;
    if (step.kind === 'agent') yield { path, step };
    else if (step.kind !== 'approval') yield* agentSteps(step.steps, `${path}/`);
  }
}
