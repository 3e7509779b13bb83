import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { demoAdapter } from '../backends/demo/backend.ts';
import { demoEntry } from '../backends/demo/index.ts';
import { keepDemoWorlds, steps, temporaryFolder } from '../testing/demo-world.ts';
import { createBaton } from './create-baton.ts';

keepDemoWorlds();

test('auto asks before an edit of the settings of an agent of the same Baton only', async () => {
  vi.stubEnv('HOME', temporaryFolder());
  onTestFinished(() => void vi.unstubAllEnvs());
  const mine = { ...demoEntry, id: 'mine', aliases: [], load: async () => demoAdapter };
  const one = await createBaton({
    settings: 'none',
    backends: [{ ...mine, settingsPaths: ['mine.toml'] }],
  });
  const other = await createBaton({ settings: 'none' });
  const written = async (baton: typeof one) => {
    const cwd = temporaryFolder();
    const prompt = steps({ write: { path: 'mine.toml', content: 'x' } });
    const options = { cwd, permissionMode: 'auto' as const, providerOptions: { pace: 0 } };
    await (await baton.launch({ backend: 'demo', prompt, ...options })).collect();
    return existsSync(join(cwd, 'mine.toml'));
  };
  expect(await written(one)).toBe(false);
  expect(await written(other)).toBe(true);
});
