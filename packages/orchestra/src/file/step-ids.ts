import type { StepKind } from '@baton/protocol';
import type { StepSource } from './chains-schema.ts';
import type { Problems } from './problems.ts';
import type { Path } from './source.ts';

/** A step of the file with its id, its place and the steps inside of it. */
export type StepNode = {
  id: string;
  kind: StepKind;
  source: StepSource;
  path: Path;
  children: StepNode[];
};

/** `{{previous.output}}` and `"step": "previous"` mean the step before. */
const RESERVED = 'previous';

/** Gives every step of a list, and of the lists inside, an id that is unique in its list. */
export function identify(steps: readonly StepSource[], path: Path, problems: Problems): StepNode[] {
  const taken = new Set([RESERVED]);
  for (const [index, { id }] of steps.entries()) {
    if (id === undefined) continue;
    const place = [...path, index, 'id'];
    if (id === RESERVED) problems.add(place, `"${id}" means the step before; choose another id.`);
    else if (taken.has(id)) problems.add(place, `duplicate id "${id}"; choose another one.`);
    taken.add(id);
  }
  return steps.map((source, index) => {
    const own = [...path, index];
    const { kind, list } = shapeOf(source);
    return {
      id: source.id ?? freeId(source, kind, taken),
      kind,
      source,
      path: own,
      children: list ? identify(list.steps, [...own, list.key], problems) : [],
    };
  });
}

function shapeOf(step: StepSource): {
  kind: StepKind;
  list?: { key: string; steps: StepSource[] };
} {
  if ('agent' in step) return { kind: 'agent' };
  if ('approve' in step) return { kind: 'approval' };
  if ('parallel' in step)
    return { kind: 'parallel', list: { key: 'parallel', steps: step.parallel } };
  if ('loop' in step) return { kind: 'loop', list: { key: 'loop', steps: step.loop } };
  return { kind: 'forEach', list: { key: 'steps', steps: step.steps } };
}

/** The name of the agent or the kind of the step, with a number if it is taken. */
function freeId(step: StepSource, kind: StepKind, taken: Set<string>): string {
  // Names of agents may contain dots, which separate the parts of a template.
  const name = 'agent' in step ? step.agent.replaceAll('.', '-') : kind;
  let id = name;
  for (let number = 2; taken.has(id); number += 1) id = `${name}-${number}`;
  taken.add(id);
  return id;
}
