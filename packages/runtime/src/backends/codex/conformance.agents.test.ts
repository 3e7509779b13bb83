import { afterAll, beforeAll, describe, test } from 'vitest';
import { type FakeModel, startFakeModel } from '../../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../../testbed/install.mjs';
import { type ConformanceSubject, conformanceCases } from '../../conformance/index.ts';
import { codexBackend } from './index.ts';
import { CODEX_FAILURES, codexWorld, modelSteps, pinnedCodex, scripted } from './testing/world.ts';

let model: FakeModel;

beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

const subject: ConformanceSubject = {
  backend: pinnedCodex,
  failures: CODEX_FAILURES,
  withBinary: (binary) => codexBackend({ binary }),
  prompt: (steps) => scripted(model, modelSteps(steps)),
  world: () => codexWorld(model),
};

describe('Codex passes the conformance suite', { timeout: 60_000 }, () => {
  for (const { name, skip, run } of conformanceCases(subject)) {
    test(name, async (context) => {
      if (skip) context.skip(skip);
      await run();
    });
  }
});
