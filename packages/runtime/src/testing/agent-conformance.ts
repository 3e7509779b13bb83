import { afterAll, beforeAll, describe, test } from 'vitest';
import type { AgentName } from '../../../../testbed/agents.ts';
import { type FakeModel, startFakeModel } from '../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../testbed/install.mjs';
import type { Backend, BackendSettings } from '../backend.ts';
import {
  type ConformanceSubject,
  conformanceCases,
  type FailureKind,
} from '../conformance/index.ts';
import { agentWorld } from './agent-world.ts';
import { modelSteps, scripted } from './model-script.ts';

/** What the service behind a coding agent can answer instead of an answer. */
export const FAILURES: readonly FailureKind[] = [
  'auth',
  'rate_limited',
  'overloaded',
  'server_error',
  'quota',
  'context_too_long',
];

/** Lets a real agent play the conformance suite against the fake model. */
export function describeConformance(
  agent: AgentName,
  create: (settings?: BackendSettings) => Backend,
  binary: string,
  more: Partial<ConformanceSubject> & Pick<ConformanceSubject, 'folderHooks'>,
): void {
  let model: FakeModel;
  const subject: ConformanceSubject = {
    backend: create({ binary }),
    failures: FAILURES,
    withBinary: (impostor) => create({ binary: impostor }),
    prompt: (steps) => scripted(model, modelSteps(steps)),
    world: () => agentWorld(agent, model),
    ...more,
  };

  describe(`${subject.backend.label} passes the conformance suite`, { timeout: 60_000 }, () => {
    beforeAll(async () => {
      await installAgents();
      model = await startFakeModel();
    }, 300_000);
    afterAll(() => model.close());

    for (const { name, skip, run } of conformanceCases(subject)) {
      test(name, async (context) => {
        if (skip) context.skip(skip);
        await run();
      });
    }
  });
}
