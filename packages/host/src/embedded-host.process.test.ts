import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBaton } from '@baton/agents/registry/create-baton';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { EmbeddedHost } from './embedded-host.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each(['nothing', 'demo'])('a launch of %s that fails leaves the folder', async (backend) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'embedded-host-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  vi.stubEnv('HOME', home);
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  const host = new EmbeddedHost({
    baton: await createBaton({ settings: 'none' }),
    keepsFiles: true,
  });
  const request = { backend, cwd, prompt: 'Hi', providerOptions: { demo: { nothing: true } } };
  await expect(host.launch(request)).rejects.toThrow();
  const sessions = join(home, '.baton/workspaces/sessions');
  const files = readdirSync(sessions, { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => name.endsWith('.json'))).toEqual([]);
});
