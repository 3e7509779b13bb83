import { some } from '../../text/amounts.ts';
import type { StepNode } from './step-tree.ts';

/** Describes the kind of a step; for a step that repeats, with the number of iterations. */
export function kindWords({ outline: { kind, iterations: most }, iterations }: StepNode): string {
  const count = iterations.length;
  switch (kind) {
    case 'parallel':
      return 'Parallel';
    case 'approval':
      return 'Approval';
    case 'forEach':
      return count === 0 ? 'For each' : `For each: ${some(count, 'item')}`;
    case 'loop':
    case 'agent':
      if (count === 0) return `Loop: up to ${some(most ?? 1, 'iteration')}`;
      return `Loop: iteration ${count} of up to ${most}`;
  }
}
