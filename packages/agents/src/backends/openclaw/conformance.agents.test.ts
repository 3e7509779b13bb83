import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  type ConformanceSubject,
  conformanceCases,
} from '../../../../agent-tools/src/conformance/index.ts';
import { openClawBackend } from '../../testing/built-in-backends.ts';
import { modelSteps, scripted } from '../../testing/model-script.ts';
import { GatewayWorld } from './testing/gateway-world.ts';

/** The cases that every change must pass; `npm run test:agents -- --full` plays all of them. */
const ESSENTIAL: readonly string[] = [
  'streams the answer in order and gives it whole',
  'reports what the run consumed',
  'shows a command with its output',
  'shows a command that fails as an error and goes on',
  'shows an edit with its path and really makes it',
  'one conversation takes one prompt after another in one session',
  'resume goes on with the same session in a new process',
  'resume of a session that does not exist fails with session_not_found',
  'cancel while it starts: nothing survives',
  'cancel in the middle of a command: nothing survives',
  'an agent that falls silent is stopped as stalled',
  'an image reaches the model',
];

let world: GatewayWorld;
let env: Record<string, string>;

const subject: ConformanceSubject = {
  backend: openClawBackend(),
  // After most failures of a provider the gateway does not use it for minutes: faults.agents.test.ts shows them.
  failures: ['context_too_long'],
  folderHooks: [],
  runsElsewhere: true,
  steps: ['say', 'shell', 'write', 'hang', 'fail'],
  prompt: (steps) => scripted(world.model, modelSteps(steps)),
  modelRequests: () => world.model.requests.map(({ body }) => JSON.stringify(body)),
  async world() {
    world.clean();
    return { cwd: world.workspace, options: { env }, dispose: async () => world.clean() };
  },
};

describe('OpenClaw passes the conformance suite', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    world = await GatewayWorld.start();
    env = await world.pairedDevice();
  }, 300_000);
  afterAll(() => world.close());

  const isFull = process.env.BATON_CONFORMANCE === 'full';
  for (const { name, skip, run } of conformanceCases(subject)) {
    if (skip === undefined && (isFull || ESSENTIAL.includes(name))) test(name, run);
  }
});
