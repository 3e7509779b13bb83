import {
  addUsage,
  type OutlineStep,
  type StepState,
  type StepStatus,
  type Usage,
} from '@baton/protocol';

type StepStates = ReadonlyMap<string, StepState>;

/** A step of a run, with everything inside it. */
export type StepNode = {
  /** Its path, such as `fix#2/test`. */
  path: string;
  outline: OutlineStep;
  state: StepState | undefined;
  /** The steps inside it, unless they are in iterations. */
  steps: readonly StepNode[];
  /** The iterations that have started. */
  iterations: readonly Iteration[];
  /** Usage of the step and everything inside it. */
  usage: Usage | undefined;
};

/** One iteration of a loop, one item of a list, or one run of an agent that runs several times. */
export type Iteration = {
  path: string;
  number: number;
  /** The state of an agent that runs several times; the iterations of other steps have none of their own. */
  state: StepState | undefined;
  status: StepStatus | undefined;
  steps: readonly StepNode[];
  usage: Usage | undefined;
};

/** Builds the tree of steps with their states; loops contain the iterations that have started. */
export function stepTree(outline: readonly OutlineStep[], states: StepStates): StepNode[] {
  return nodesOf(outline, '', states, iterationsIn(states));
}

/** True if a step is drawn as a box around others. */
export function hasInside({ outline, iterations }: StepNode): boolean {
  return outline.steps !== undefined || iterations.length > 0;
}

/** True if the error of a step is its own; an error that comes from a step inside it is shown there. */
export function hasOwnProblem({ state, steps, iterations }: StepNode): boolean {
  const inside = [...steps, ...iterations.flatMap((each) => [each, ...each.steps])];
  return !inside.some((each) => each.state?.error?.message === state?.error?.message);
}

/** Counts the agent and approval steps of a chain, including nested ones. */
export function countSteps(outline: readonly OutlineStep[]): number {
  return outline.reduce((sum, { steps }) => sum + (steps ? countSteps(steps) : 1), 0);
}

type Begun = ReadonlyMap<string, ReadonlySet<number>>;

function nodesOf(
  outline: readonly OutlineStep[],
  prefix: string,
  states: StepStates,
  begun: Begun,
): StepNode[] {
  return outline.map((step) => {
    const path = prefix + step.id;
    const state = states.get(path);
    const numbers = [...(begun.get(path) ?? [])].toSorted((one, other) => one - other);
    const iterations = numbers.map((number) =>
      iterationOf(step, { path: `${path}#${number}`, number }, states, begun),
    );
    const inside = `${path}${step.kind === 'parallel' ? '' : '#1'}/`;
    const steps = iterations.length > 0 ? [] : nodesOf(step.steps ?? [], inside, states, begun);
    return { path, outline: step, state, steps, iterations, usage: sum(state, iterations, steps) };
  });
}

function iterationOf(
  step: OutlineStep,
  { path, number }: { path: string; number: number },
  states: StepStates,
  begun: Begun,
): Iteration {
  const state = states.get(path);
  const steps = nodesOf(step.steps ?? [], `${path}/`, states, begun);
  const status = state?.status ?? statusOf(steps);
  return { path, number, state, status, steps, usage: sum(state, steps) };
}

/** Returns the numbers of the iterations that have started, by the path of the step. */
function iterationsIn(states: StepStates): Begun {
  const begun = new Map<string, Set<number>>();
  for (const path of states.keys()) {
    for (const { 1: number, index } of path.matchAll(/#(\d+)(?=\/|$)/g)) {
      const step = path.slice(0, index);
      begun.set(step, (begun.get(step) ?? new Set()).add(Number(number)));
    }
  }
  return begun;
}

/** Statuses by priority: a group of steps has the first of these that one of its steps has. */
const BY_WEIGHT: readonly StepStatus[] = [
  'awaiting_approval',
  'running',
  'interrupted',
  'failed',
  'timed_out',
  'cancelled',
];

function statusOf(steps: readonly StepNode[]): StepStatus | undefined {
  const statuses = steps.flatMap(({ state }) => state?.status ?? []);
  const worst = BY_WEIGHT.find((status) => statuses.includes(status));
  if (worst || statuses.length === 0) return worst;
  // Between two steps.
  return statuses.length < steps.length ? 'running' : 'done';
}

function sum(
  ...parts: readonly (
    | { usage?: Usage | undefined }
    | undefined
    | readonly { usage?: Usage | undefined }[]
  )[]
) {
  return parts
    .flat()
    .reduce<Usage | undefined>((all, each) => addUsage(all, each?.usage), undefined);
}
