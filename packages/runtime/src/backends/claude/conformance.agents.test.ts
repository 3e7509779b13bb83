import { afterAll, beforeAll, describe, test } from 'vitest';
import { type FakeModel, startFakeModel } from '../../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../../testbed/install.mjs';
import { type ConformanceSubject, conformanceCases } from '../../conformance/index.ts';
import { claudeBackend } from './index.ts';
import {
  CLAUDE_FAILURES,
  claudeWorld,
  modelSteps,
  pinnedClaude,
  scripted,
} from './testing/world.ts';

let model: FakeModel;

beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

const subject: ConformanceSubject = {
  backend: pinnedClaude,
  failures: CLAUDE_FAILURES,
  withBinary: (binary) => claudeBackend({ binary }),
  allowAll: { env: { IS_SANDBOX: '1' } },
  prompt: (steps) => scripted(model, modelSteps(steps)),
  world: () => claudeWorld(model),
};

describe('Claude Code passes the conformance suite', { timeout: 60_000 }, () => {
  for (const { name, skip, run } of conformanceCases(subject)) {
    test(name, async (context) => {
      if (skip) context.skip(skip);
      await run();
    });
  }
});
