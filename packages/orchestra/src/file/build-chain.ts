import { basename } from 'node:path';
import { DEFAULT_BACKEND } from '@baton/agents/registry/registry';
import type { AgentStep, Chain, ChainInput, ChainWorkspace, Step } from '../chain.ts';
import type { AgentStepSource, ChainSource, WorkspaceSource } from './chains-schema.ts';
import {
  checkCondition,
  checkTemplate,
  type TemplateSource,
  type Visible,
} from './check-references.ts';
import { instead } from './problems.ts';
import { type Agent, timeoutsOf, withoutUndefined } from './read-agent.ts';
import { type Reading, readDuration, readOutputSchema, readText } from './read-values.ts';
import type { Path } from './source.ts';
import { identify, type StepNode } from './step-ids.ts';

type Building = Reading & {
  chain: ChainSource;
  /** The prompt of the steps that have none. */
  prompt: TemplateSource | undefined;
  agents: ReadonlyMap<string, Agent>;
};

const PROMPTS = { texts: ['prompt'], files: ['promptFile'] };

/** Converts a chain of the file into its executable form; adds its errors to the problems. */
export function buildChain(
  name: string,
  chain: ChainSource,
  agents: ReadonlyMap<string, Agent>,
  reading: Reading,
): Chain {
  const path = ['chains', name];
  const { problems } = reading;
  const inputs = readInputs(chain.inputs ?? {}, [...path, 'inputs'], reading);
  const nodes = identify(chain.steps, [...path, 'steps'], reading.problems);
  const visible = {
    inputs: new Set(Object.keys(inputs)),
    steps: new Map(),
    hasPrevious: false,
    inLoop: false,
    repeated: new Set<string>(),
    inForEach: false,
    siblings: [],
  };
  const building = { ...reading, chain, agents, prompt: readText(chain, path, PROMPTS, reading) };
  return withoutUndefined({
    name,
    description: chain.description,
    inputs,
    // 0 turns a limit off, here as everywhere.
    timeoutMs: readDuration(chain.timeoutMs) || undefined,
    budgetUsd: chain.budgetUsd,
    workspace: readWorkspace(chain.workspace, [...path, 'workspace'], problems, (text, place) =>
      checkTemplate({ text, path: place }, name, visible, problems),
    ),
    steps: buildList(nodes, building, visible).steps,
  });
}

function readInputs(
  inputs: NonNullable<ChainSource['inputs']>,
  path: Path,
  { problems }: Reading,
): Record<string, ChainInput> {
  const read = Object.entries(inputs).map(([name, value]) => {
    const input: ChainInput = typeof value === 'string' ? { default: value } : value;
    const { choices, default: given } = input;
    if (choices && given !== undefined && !choices.includes(given)) {
      const place = [...path, name, 'default'];
      problems.add(place, `the default "${given}" is none of the choices.`);
    }
    return [name, input] as const;
  });
  return Object.fromEntries(read);
}

/** Reads the place that a chain or a step asks for; `check` looks at the name of a worktree. */
function readWorkspace(
  source: WorkspaceSource | undefined,
  path: Path,
  problems: Reading['problems'],
  check: (name: string, path: Path) => void,
): ChainWorkspace | undefined {
  if (source === undefined || typeof source === 'string') return source && { kind: source };
  const { kind, ...rest } = source;
  const [extra] = Object.keys(rest);
  if (kind === 'in_place' && extra !== undefined) {
    problems.add([...path, extra], `"${extra}" is only for a worktree.`, 'key');
  }
  if (source.name !== undefined) check(source.name, [...path, 'name']);
  return source;
}

/** Builds steps that run in sequence, and the names that are visible after them. */
function buildList(nodes: readonly StepNode[], building: Building, outer: Visible) {
  let visible: Visible = { ...outer, siblings: [...outer.siblings, ...nodes] };
  const steps: Step[] = [];
  for (const node of nodes) {
    const step = buildStep(node, building, visible);
    steps.push(step);
    visible = {
      ...visible,
      steps: new Map(visible.steps).set(step.id, step),
      hasPrevious: true,
    };
  }
  return { steps, visible };
}

function buildStep(node: StepNode, building: Building, visible: Visible): Step {
  const { id, source, path, children } = node;
  const { problems } = building;
  if (source.if) checkCondition(source.if, [...path, 'if'], visible, problems);
  const base = {
    id,
    ...(source.if ? { if: source.if } : {}),
    onFailure: source.onFailure ?? 'stop',
  };
  const check = (key: string, text: string) =>
    checkTemplate({ text, path: [...path, key] }, id, visible, problems);

  if ('agent' in source) return { ...base, ...buildAgentStep(source, node, building, visible) };
  if ('approve' in source) {
    check('approve', source.approve);
    return { ...base, kind: 'approval', message: source.approve };
  }
  if ('parallel' in source) {
    const { policy = 'fail-fast', concurrency } = source;
    const around = { ...visible, siblings: [...visible.siblings, ...children] };
    const steps = children.map((child) => buildStep(child, building, around));
    return { ...base, kind: 'parallel', steps, policy, ...(concurrency ? { concurrency } : {}) };
  }
  if ('loop' in source) {
    const { maxIterations, until } = source;
    const repeated = new Set([...visible.repeated, ...children.map((child) => child.id)]);
    const body = buildList(children, building, { ...visible, inLoop: true, repeated });
    if (until) checkCondition(until, [...path, 'until'], body.visible, problems);
    return { ...base, kind: 'loop', steps: body.steps, maxIterations, ...(until ? { until } : {}) };
  }
  const { forEach: items, policy = 'fail-fast', concurrency = 1, maxItems } = source;
  if (typeof items === 'string') check('forEach', items);
  const { steps } = buildList(children, building, { ...visible, inForEach: true });
  const limit = maxItems === undefined ? {} : { maxItems };
  return { ...base, kind: 'forEach', items, steps, policy, concurrency, ...limit };
}

function buildAgentStep(
  source: AgentStepSource,
  { id, path }: StepNode,
  building: Building,
  visible: Visible,
): Omit<AgentStep, 'onFailure'> {
  const { problems, agents, chain } = building;
  const agent = agents.get(source.agent);
  if (!agent) {
    const none = 'add it to "agents".';
    problems.add(
      [...path, 'agent'],
      `unknown agent "${source.agent}"; ${instead(source.agent, agents.keys(), none)}`,
    );
  }
  const { iterations, args = [] } = source;
  const inStep = { ...visible, inLoop: visible.inLoop || (iterations ?? 1) > 1 };
  const prompt = promptOf(source, path, agent, building);
  if (prompt) checkTemplate(prompt, id, inStep, problems);
  const cwd = source.cwd ?? agent?.source.cwd;
  if (cwd !== undefined) {
    const owner = source.cwd === undefined && agent ? agent.path : path;
    checkTemplate({ text: cwd, path: [...owner, 'cwd'] }, id, inStep, problems);
  }
  const workspace = readWorkspace(
    source.workspace,
    [...path, 'workspace'],
    problems,
    (text, place) => checkTemplate({ text, path: place }, id, inStep, problems),
  );
  const backend = source.backend ?? chain.backend ?? agent?.source.backend;
  const { command } = agent ?? {};
  const program = command && basename(command[0] ?? '');
  return withoutUndefined({
    id,
    kind: 'agent' as const,
    agent: source.agent,
    backend: backend ?? program ?? DEFAULT_BACKEND,
    fallback: command ? [] : (source.fallback ?? agent?.source.fallback ?? []),
    prompt: prompt?.text ?? '',
    iterations,
    cwd,
    workspace,
    permissionMode: source.permissionMode ?? agent?.source.permissionMode ?? 'ask',
    env: agent?.source.env,
    options: optionsOf(source, path, agent, building),
    files: agent?.files,
    // A compiled agent has a backend of its own.
    command: command && [...command, ...args, ...(backend ? ['--backend', backend] : [])],
  });
}

/** That of the step, of the chain, or of the agent; a compiled agent may have its own. */
function promptOf(
  source: AgentStepSource,
  path: Path,
  agent: Agent | undefined,
  building: Building,
): TemplateSource | undefined {
  const { chain, problems } = building;
  if (source.prompt !== undefined || source.promptFile !== undefined) {
    return readText(source, path, PROMPTS, building);
  }
  const isOfChain = chain.prompt !== undefined || chain.promptFile !== undefined;
  const prompt = isOfChain ? building.prompt : agent?.prompt;
  if (prompt || isOfChain || !agent || agent.command || hasPrompt(agent)) return prompt;
  const places = `to the step, to the chain or to agents.${source.agent}`;
  problems.add(path, `the step has no prompt; add "prompt" ${places}.`);
  return undefined;
}

/** True if the agent has a prompt, even if the prompt could not be read. */
function hasPrompt({ source }: Agent): boolean {
  const { prompt, promptFile, defaultPrompt, defaultPromptFile } = source;
  return [prompt, promptFile, defaultPrompt, defaultPromptFile].some((each) => each !== undefined);
}

function optionsOf(
  source: AgentStepSource,
  path: Path,
  agent: Agent | undefined,
  building: Building,
): AgentStep['options'] {
  const options = agent?.options ?? {};
  const outputSchema = readOutputSchema(source.outputSchema, [...path, 'outputSchema'], building);
  const args = agent?.command ? [] : (source.args ?? []);
  const totalMs = readDuration(source.timeoutMs) ?? options.timeouts?.totalMs;
  return withoutUndefined({
    ...options,
    model: source.model ?? building.chain.model ?? options.model,
    rawArgs: args.length > 0 ? [...(options.rawArgs ?? []), ...args] : options.rawArgs,
    outputSchema: outputSchema ?? options.outputSchema,
    timeouts: timeoutsOf(totalMs, options.timeouts?.idleMs),
    budgetUsd: source.budgetUsd ?? options.budgetUsd,
  });
}
