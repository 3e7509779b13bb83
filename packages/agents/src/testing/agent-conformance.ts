import { fileURLToPath } from 'node:url';
import type { Backend, BackendSettings } from '@baton/engine/definition/backend';
import type { Capabilities, Feature } from '@baton/protocol/values';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { TestbedAgent } from '../../../../testbed/agents/agent.ts';
import { AGENTS, type AgentName } from '../../../../testbed/agents.ts';
import { type FakeModel, startFakeModel } from '../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../testbed/install.mjs';
import {
  type ConformanceSubject,
  conformanceCases,
  type FailureKind,
} from '../../../agent-tools/src/conformance/index.ts';
import { agentWorld } from './agent-world.ts';
import { trapsFor } from './folder-traps.ts';
import { modelSteps, scripted } from './model-script.ts';

/** Failures of the service behind a coding agent. */
export const FAILURES: readonly FailureKind[] = [
  'auth',
  'rate_limited',
  'overloaded',
  'server_error',
  'quota',
  'context_too_long',
];

/** The cases that every change must pass; `npm run test:agents -- --full` plays all of them. */
const ESSENTIAL: Readonly<Record<'live' | 'print', readonly string[]>> = {
  live: [
    'streams the answer in order and gives it whole',
    'shows a command that fails as an error and goes on',
    'ask: settings of a trusted folder that allow everything change nothing',
    'ask: a denied edit is not made, its tool is denied, and the agent goes on',
    'ask: a command waits for a person',
    'auto: an edit in the workspace passes, a command still asks',
    'auto: an edit that would widen rights waits for a person',
    'a session resumed six times still knows every prompt',
    'allow-all: a run ends with the tools of its last turn',
    'cancel while it waits for permission: nothing survives',
    'cancel in the middle of a command: nothing survives',
    'an agent that falls silent is stopped as stalled',
    'a provider that answers rate_limited fails the run with its code',
  ],
  print: [
    'streams the answer in order and gives it whole',
    'reports what the run consumed',
    'shows a command with its output',
    'shows a command that fails as an error and goes on',
    'shows an edit with its path and really makes it',
    'resume goes on with the same session in a new process',
    'resume of a session that does not exist fails with session_not_found',
    'cancel in the middle of a command: nothing survives',
    'an agent that falls silent is stopped as stalled',
    'a provider that answers rate_limited fails the run with its code',
    'a prompt of 1 MB is taken',
    'a prompt that begins with a dash is taken',
  ],
};

type AgentSubject = Partial<ConformanceSubject> & {
  /** Differences through print, where the agent cannot ask and so everything is allowed. */
  print?: Partial<ConformanceSubject> & { lacks?: readonly Feature[] };
};

/** Lets a real agent play the conformance suite against the fake model, through live and through print. */
export function describeConformance(
  agent: AgentName,
  create: (settings?: BackendSettings) => Backend,
  binary: string,
  { print = {}, ...more }: AgentSubject,
): void {
  let model: FakeModel;
  const { runOptions }: TestbedAgent = AGENTS[agent];
  const live: ConformanceSubject = {
    backend: create({ binary }),
    failures: FAILURES,
    folderHooks: trapsFor(agent),
    countsStopped: true,
    withBinary: (impostor) => create({ binary: impostor }),
    prompt: (steps) => scripted(model, modelSteps(steps)),
    modelRequests: () => model.requests.map(({ path, body }) => `${path} ${JSON.stringify(body)}`),
    mcpServer: {
      command: process.execPath,
      args: [fileURLToPath(new URL('../../../../testbed/mcp-echo.mjs', import.meta.url))],
    },
    world: async () => {
      const world = await agentWorld(agent, model);
      return { ...world, options: { ...runOptions, ...world.options } };
    },
    ...more,
  };

  describe(`${live.backend.label} passes the conformance suite`, { timeout: 120_000 }, () => {
    beforeAll(async () => {
      await installAgents();
      model = await startFakeModel();
    }, 300_000);
    afterAll(() => model.close());

    const subjects = { live, print: throughPrint(live, print) };
    const { transports } = live.backend.capabilities;
    for (const transport of (['live', 'print'] as const).filter((name) =>
      transports.includes(name),
    )) {
      const cases = conformanceCases(subjects[transport]).filter(
        ({ name, skip }) => skip === undefined && isWanted(transport, name),
      );
      describe(transport, () => {
        for (const { name, run } of cases) test(name, run);
      });
    }
  });
}

function isWanted(transport: 'live' | 'print', name: string): boolean {
  const isTrap = name.includes('of a folder that nobody trusted');
  const isAttack = transport === 'live' && /^ask: .* do more than read/.test(name);
  const isWide = process.env.BATON_CONFORMANCE === 'full' || isTrap || isAttack;
  return isWide || ESSENTIAL[transport].includes(name);
}

/** The same agent through print: it cannot ask, so everything is allowed. */
function throughPrint(
  live: ConformanceSubject,
  { lacks = [], ...more }: NonNullable<AgentSubject['print']>,
): ConformanceSubject {
  const { capabilities } = live.backend;
  const missing = ['permissions', 'questions', 'steer', 'interactive', ...lacks];
  const features = Object.fromEntries(missing.map((name) => [name, false]));
  return {
    ...live,
    capabilities: {
      ...capabilities,
      features: { ...capabilities.features, ...features } as Capabilities['features'],
      permissionModes: ['allow-all'],
      transports: ['print'],
    },
    // The other transport shows that each of them springs in a trusted folder.
    folderHooks: live.folderHooks.map((trap) => ({ ...trap, isIgnored: true })),
    narrowRule: undefined,
    allowEverything: undefined,
    lookup: undefined,
    async world() {
      const world = await live.world();
      const env = { ...world.options.env, ...live.allowAll?.env };
      return { ...world, options: { ...world.options, ...live.allowAll, env, transport: 'print' } };
    },
    ...more,
  };
}
