import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Backend, RunInput } from '@baton/engine/definition/backend';
import type { AgentEvent, RunResult } from '@baton/protocol';
import { brokenPromises } from '@baton/runtime/conformance';
import { agentWorld } from '../../packages/agents/src/testing/agent-world.ts';
import { scripted } from '../../packages/agents/src/testing/model-script.ts';
import type { TestbedAgent } from '../../testbed/agents/agent.ts';
import { AGENTS, type AgentName } from '../../testbed/agents.ts';
import type { FakeModel } from '../../testbed/fake-model/index.ts';
import { type LineShapes, lineShapes } from './line-shapes.ts';
import type { Scenario } from './scenarios.ts';
import { toolOutcomes } from './tool-outcomes.ts';

/** Observed behavior of one release in one scenario. */
export type Observation = {
  scenario: string;
  concurrent?: boolean | undefined;
  shapes: LineShapes;
  /** Kinds of events, without how often each came: the deltas of a text are cut by chance. */
  events: string[];
  tools: string[];
  unparsed: string[];
  brokenPromises: string[];
  outcome: string;
  error?: string | undefined;
  exitCode?: number | undefined;
  output: string;
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  costUsd?: number | undefined;
  /** Cost of a resumed run, as a multiple of the cost of the run before. */
  resumedCost?: number | undefined;
  stop?: { state: string; steps: string[]; ms: number } | undefined;
};

type Release = { agent: AgentName; backend: Backend; model: FakeModel; recordings: string };

/** Runs a scenario on one release of an agent, records its output, and returns the observation. */
export async function observe(release: Release, scenario: Scenario): Promise<Observation> {
  const world = await agentWorld(release.agent, release.model);
  const printed: string[] = [];
  const { runOptions }: TestbedAgent = AGENTS[release.agent];
  const input = {
    ...runOptions,
    ...world.options,
    cwd: world.cwd,
    ...scenario.options,
    onPrinted: (line: string, stream: 'stdout' | 'stderr') => {
      if (stream === 'stdout') printed.push(line);
    },
  };
  const play = (steps: Scenario['steps'], more: Partial<RunInput> = {}) => {
    const prompt = scripted(release.model, steps);
    return playRun(release.backend, { ...input, ...more, prompt }, scenario.stopAt);
  };
  try {
    const first = await play(scenario.steps);
    const { nativeSessionId } = first.result;
    const last =
      scenario.resumed && nativeSessionId !== undefined
        ? await play(scenario.resumed, { resume: nativeSessionId })
        : first;
    const folder = join(release.recordings, scenario.name.replaceAll(' ', '-'));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'stdout.jsonl'), printed.map((line) => `${line}\n`).join(''));
    return {
      scenario: scenario.name,
      concurrent: scenario.concurrent,
      shapes: lineShapes(printed),
      ...summary(last),
      resumedCost: last === first ? undefined : costRatio(first, last),
    };
  } finally {
    await world.dispose();
  }
}

function costRatio(first: Played, last: Played): number | undefined {
  const [before, after] = [first.result.usage?.costUsd, last.result.usage?.costUsd];
  return before && after ? after / before : undefined;
}

type Played = { events: AgentEvent[]; result: RunResult };

async function playRun(
  backend: Backend,
  input: RunInput,
  stopAt?: Scenario['stopAt'],
): Promise<Played> {
  const run = backend.run({ timeouts: { totalMs: 60_000 }, ...input });
  const events: AgentEvent[] = [];
  for await (const event of run) {
    events.push(event);
    if (stopAt?.(event)) void run.cancel();
  }
  return { events, result: await run.result };
}

function summary({
  events,
  result,
}: Played): Omit<Observation, 'scenario' | 'concurrent' | 'shapes' | 'resumedCost'> {
  const { stop, usage } = result;
  return {
    events: [...new Set(events.map(({ type }) => type))].sort(),
    tools: toolOutcomes(events),
    unparsed: events.flatMap((event) => (event.type === 'unparsed' ? [event.line] : [])),
    brokenPromises: brokenPromises(events),
    outcome: result.outcome,
    error: result.error?.code,
    exitCode: result.exitCode,
    output: result.output,
    inputTokens: usage?.inputTokens,
    outputTokens: usage?.outputTokens,
    costUsd: usage?.costUsd,
    stop: stop && {
      state: stop.state,
      steps: stop.steps.map(({ step }) => step),
      ms: Math.round((stop.stoppedAt ?? stop.requestedAt) - stop.requestedAt),
    },
  };
}
