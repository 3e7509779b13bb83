import type { OutlineStep } from '@baton/protocol';
import type { Chain, Step } from './chain.ts';
import { conditionWords } from './conditions.ts';

/** The steps of a chain as graphs and trees show them. */
export function outlineOf({ steps }: Pick<Chain, 'steps'>): OutlineStep[] {
  return steps.map(outlineStep);
}

function outlineStep(step: Step): OutlineStep {
  const { id, kind } = step;
  const condition = conditionOf(step);
  const base = { id, kind, ...(condition === undefined ? {} : { condition }) };
  switch (step.kind) {
    case 'agent': {
      const { agent, backend, command, iterations } = step;
      return {
        ...base,
        agent,
        // A compiled agent is run instead of a backend.
        ...(command ? {} : { backend }),
        ...(iterations === undefined ? {} : { iterations }),
      };
    }
    case 'loop':
      return { ...base, iterations: step.maxIterations, steps: outlineOf(step) };
    case 'parallel':
    case 'forEach':
      return { ...base, steps: outlineOf(step) };
    case 'approval':
      return base;
  }
}

function conditionOf(step: Step): string | undefined {
  const words = [
    ...(step.if ? [conditionWords(step.if)] : []),
    ...(step.kind === 'loop' && step.until ? [conditionWords(step.until, 'until')] : []),
  ];
  return words.length > 0 ? words.join(', ') : undefined;
}
