import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BatonError } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { keepDemoWorlds, temporaryFolder } from '../testing/demo-world.ts';
import { loadBackendModule } from './backend-modules.ts';

keepDemoWorlds();

const KIT = ['@baton', 'runtime', 'adapter'].join('/');
const DEMO = pathToFileURL(join(import.meta.dirname, '../backends/demo/index.ts')).href;

/** A folder with one module that takes the demo backend for its own. */
function moduleOf(body: string, file = 'mine.mjs'): { folder: string; file: string } {
  const folder = temporaryFolder();
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `import { demoEntry } from '${DEMO}';\n${body}\n`);
  return { folder, file: `./${file}` };
}

async function refusal(folder: string, file: string): Promise<BatonError> {
  try {
    await (await loadBackendModule(file, folder)).load();
  } catch (error) {
    if (BatonError.is(error)) return error;
    throw error;
  }
  throw new Error('The module was accepted.');
}

describe('a module with a backend', () => {
  test('may export it, given by a path relative to the folder', async () => {
    const { folder, file } = moduleOf("export default { ...demoEntry, id: 'mine' };");
    const entry = await loadBackendModule(file, folder);
    expect(entry.id).toBe('mine');
    expect((await entry.load()).drivers.length).toBe(1);
  });

  test('may export a function that makes it with the kit, and may be TypeScript', async () => {
    const body = `import type { BackendModule } from '${KIT}';
      const make: BackendModule = ({ SPEC_VERSION, mapped }) => ({
        ...demoEntry, id: 'kitted', specVersion: SPEC_VERSION, label: mapped('by kit').how,
      });
      export default make;`;
    const { folder, file } = moduleOf(body, 'kitted.ts');
    expect((await loadBackendModule(file, folder)).label).toBe('by kit');
  });

  test.each([
    ['with a main file', { main: './index.js' }],
    ['for import alone', { type: 'module', exports: { '.': { import: './index.js' } } }],
    ['with one export', { type: 'module', exports: './index.js' }],
  ])('may be a package %s', async (_how, manifest) => {
    const body = "export default { ...demoEntry, id: 'packed' };";
    const { folder } = moduleOf(body, 'node_modules/packed/index.js');
    const text = JSON.stringify({ name: 'packed', ...manifest });
    writeFileSync(join(folder, 'node_modules/packed/package.json'), text);
    expect((await loadBackendModule('packed', folder)).id).toBe('packed');
  });
});

describe('an invalid module is an error', () => {
  test.each([
    ['throws', "throw new Error('out of milk');", /Loading failed: out of milk/],
    ['is no JavaScript', 'export default {', /Loading failed/],
    ['exports nothing', 'export const x = 1;', /must be a backend or a function/],
    ['makes nothing', 'export default () => undefined;', /must be a backend or a function/],
    ['fails to make it', "export default () => { throw new Error('no tea'); };", /failed: no tea/],
    [
      'is incomplete',
      'export default { ...demoEntry, id: 7, load: undefined };',
      /id must be a string; load must be a function/,
    ],
    [
      'has odd capabilities',
      'export default { ...demoEntry, capabilities: { ...demoEntry.capabilities, stop: 3 } };',
      /capabilities\.stop/,
    ],
    [
      'has no drivers',
      'export default { ...demoEntry, load: async () => ({ drivers: [], credentials() {} }) };',
      /drivers must be a non-empty array/,
    ],
    [
      'fails to load its adapter',
      "export default { ...demoEntry, load: async () => { throw new Error('gone'); } };",
      /load\(\) failed: gone/,
    ],
  ])('when it %s', async (_what, body, message) => {
    const { folder, file } = moduleOf(body);
    const error = await refusal(folder, file);
    expect(error.code).toBe('config_invalid');
    expect(error.message).toContain(file);
    expect(error.message).toMatch(message);
    expect(error.hint).toContain('backendModules');
  });

  test('when it is not there, with how to install a package', async () => {
    const folder = temporaryFolder();
    expect((await refusal(folder, './gone.js')).message).toContain('./gone.js');
    expect((await refusal(folder, '@acme/gone')).message).toContain('npm install --prefix');
  });
});
