import { inOneLine, type OutlineStep, shortened } from '@baton/protocol';

/** Longer labels are cut. */
const MOST = { title: 32, detail: 40, condition: 48 };

const KINDS = {
  agent: 'agent',
  parallel: 'parallel',
  loop: 'loop',
  forEach: 'for each',
  approval: 'approval',
} as const satisfies Record<OutlineStep['kind'], string>;

type StepLabels = { title: string; detail: string; condition: string | undefined };

/** Returns the labels of a step in a graph. */
export function labelsOf(step: OutlineStep): StepLabels {
  const { id, kind, agent, backend, iterations, condition } = step;
  const parts = [
    kind === 'agent' ? agent : KINDS[kind],
    backend,
    iterations === undefined ? undefined : `up to ${iterations}×`,
  ];
  return {
    title: shortened(inOneLine(id), MOST.title),
    detail: shortened(inOneLine(parts.filter(Boolean).join(' · ')), MOST.detail),
    condition: condition && shortened(inOneLine(condition), MOST.condition),
  };
}
