import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentPrograms } from '../../../../../testbed/agents.ts';
import { type FakeModel, startFakeModel } from '../../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../../testbed/install.mjs';
import { all, finish } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import { agentWorld } from '../../testing/agent-world.ts';
import { openCodeBackend } from '../../testing/built-in-backends.ts';
import { scripted } from '../../testing/model-script.ts';

let model: FakeModel;
beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

test('print says that its usage lacks that of sub-agents, once and only then', {
  timeout: 90_000,
}, async () => {
  const { cwd, options, dispose } = await agentWorld('opencode', model);
  const backend = openCodeBackend({ binary: agentPrograms.opencode.native });
  const warnings = async (prompt: string) => {
    const request = { cwd, ...options, prompt, transport: 'print', trusted: true };
    const { events } = await finish(backend.run({ ...request, permissionMode: 'allow-all' }));
    return all(events, 'notice').filter(({ message }) => message.includes('sub-agents consume'));
  };
  const sub = () => scripted(model, [{ text: 'Looked.' }]);
  const call = () => ({ tools: [{ subagent: { prompt: sub() } }] });
  expect(await warnings(scripted(model, [call(), call(), { text: 'Done.' }]))).toMatchObject([
    { level: 'warning', code: 'agent_warning' },
  ]);
  expect(await warnings(scripted(model, [{ text: 'Done.' }]))).toEqual([]);
  await dispose();
});
