import type { AgentStep, Condition, Step } from '../chain.ts';
import { type Reference, references } from '../templates.ts';
import { instead, type Problems } from './problems.ts';
import type { Path } from './source.ts';
import type { StepNode } from './step-ids.ts';

/** A text of the chains file, or of a file that it includes. */
export type TemplateSource = {
  text: string;
  /** Position of the text, or of the path of its file, in the chains file. */
  path: Path;
  file?: string | undefined;
};

/** Names that a step can refer to. */
export type Visible = {
  inputs: ReadonlySet<string>;
  steps: ReadonlyMap<string, Step>;
  hasPrevious: boolean;
  inLoop: boolean;
  /** The steps of all loops that the step is in: conditions can refer to the iteration before. */
  repeated: ReadonlySet<string>;
  inForEach: boolean;
  /** The steps of all lists that contain the step, to explain why one of them is not visible. */
  siblings: readonly StepNode[];
};

/** Checks that everything a template refers to exists when its step runs. */
export function checkTemplate(
  template: TemplateSource,
  step: string,
  visible: Visible,
  problems: Problems,
): void {
  for (const { source, offset, reference } of references(template.text)) {
    const problem = problemOf(reference, visible);
    if (problem === undefined) continue;
    const text = `${source} in step "${step}": ${problem}`;
    const { file: path, text: content } = template;
    if (path === undefined) problems.add(template.path, text);
    else problems.addIncluded(template.path, { path, text: content, offset }, text);
  }
}

/** Checks that the steps of a condition are before its own. `path` is the place of the condition. */
export function checkCondition(
  condition: Condition,
  path: Path,
  visible: Visible,
  problems: Problems,
): void {
  const check = (each: Condition, ...keys: Path) =>
    checkCondition(each, [...path, ...keys], visible, problems);
  if ('not' in condition) return check(condition.not, 'not');
  if ('all' in condition || 'any' in condition) {
    const [key, list] = 'all' in condition ? ['all', condition.all] : ['any', condition.any];
    for (const [index, each] of list.entries()) check(each, key, index);
    return;
  }
  const isStructured = 'path' in condition && condition.path !== undefined;
  const problem =
    condition.step === 'previous'
      ? previousProblem(visible.hasPrevious || visible.repeated.size > 0)
      : stepProblem(condition.step, isStructured, visible, visible.repeated);
  if (problem !== undefined) problems.add([...path, 'step'], problem);
}

function problemOf(reference: Reference, visible: Visible): string | undefined {
  switch (reference.kind) {
    case 'invalid':
      return `it ${reference.problem}. For two literal braces, write {{{{.`;
    case 'input': {
      if (visible.inputs.has(reference.name)) return undefined;
      const none = 'add it to "inputs" of the chain.';
      return `unknown input "${reference.name}"; ${instead(reference.name, visible.inputs, none)}`;
    }
    case 'step':
      return stepProblem(reference.step, reference.field === 'structured', visible);
    case 'previous':
      return previousProblem(visible.hasPrevious);
    case 'item':
    case 'index':
      return visible.inForEach ? undefined : `"${reference.kind}" exists only inside "forEach".`;
    case 'iteration':
      if (visible.inLoop) return undefined;
      return '"iteration" exists only inside "loop" and in a step with more than one of "iterations".';
    case 'marker':
      return undefined;
  }
}

function previousProblem(exists: boolean): string | undefined {
  return exists ? undefined : 'there is no step before; remove it.';
}

function stepProblem(
  id: string,
  structured: boolean,
  visible: Visible,
  repeated?: ReadonlySet<string>,
): string | undefined {
  const step = visible.steps.get(id);
  if (!step) return repeated?.has(id) ? undefined : invisible(id, visible);
  if (!structured || step.kind !== 'agent' || hasStructured(step)) return undefined;
  return `step "${id}" has no structured output; add "outputSchema" to it or to its agent.`;
}

/** A compiled agent may have its own schema. */
function hasStructured({ options, command }: AgentStep): boolean {
  return options.outputSchema !== undefined || command !== undefined;
}

function invisible(id: string, { siblings, steps }: Visible): string {
  if (siblings.some((node) => node.id === id)) {
    return `step "${id}" is not before this step; only earlier steps can be referred to.`;
  }
  const outer = siblings.find((node) => contains(node, id));
  if (outer) return `step "${id}" is inside "${outer.id}"; refer to "${outer.id}" instead.`;
  return `unknown step "${id}"; ${instead(id, steps.keys(), 'there is no step before.')}`;
}

function contains({ children }: StepNode, id: string): boolean {
  return children.some((child) => child.id === id || contains(child, id));
}
