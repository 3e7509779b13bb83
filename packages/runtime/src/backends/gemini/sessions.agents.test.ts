import { globSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentPrograms } from '../../../../../testbed/agents.ts';
import { type FakeModel, startFakeModel } from '../../../../../testbed/fake-model/index.ts';
import { installAgents } from '../../../../../testbed/install.mjs';
import { agentWorld } from '../../testing/agent-world.ts';
import { scripted } from '../../testing/model-script.ts';
import { geminiBackend } from './backend.ts';

let model: FakeModel;
beforeAll(async () => {
  await installAgents();
  model = await startFakeModel();
}, 300_000);
afterAll(() => model.close());

// Gemini CLI deletes a session that has a second, empty file, also when the user starts it without Baton.
test.each(['live', 'print'] as const)(
  'a session resumed through %s has one file',
  { timeout: 60_000 },
  async (transport) => {
    const { cwd, home, options, later, dispose } = await agentWorld('gemini', model);
    const run = (minutes: number, resume?: string) => {
      const prompt = scripted(model, [{ text: 'Yes.' }]);
      const env = { ...options.env, ...later?.(minutes) };
      const backend = geminiBackend({ binary: agentPrograms.gemini.native });
      return backend.run({ cwd, prompt, transport, resume, env }).collect();
    };
    const { nativeSessionId: resume = '' } = await run(0);
    expect(await run(3, resume)).toMatchObject({ outcome: 'done', nativeSessionId: resume });
    const chats = join(home, '.gemini/tmp/*/chats');
    expect(globSync(join(chats, `*${resume.slice(0, 8)}*`))).toHaveLength(1);
    await dispose();
  },
);
