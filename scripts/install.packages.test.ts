import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { codeBlocks } from './docs-blocks.ts';
import { ensureNode22 } from './node-22.mjs';
import { tarballs } from './packages-for-tests.ts';

const ROOT = join(import.meta.dirname, '..');
const NAMES = ['cli', 'client', 'protocol', 'runtime'];
const LIBRARIES = ['client', 'protocol', 'runtime'];
const ENTRIES = [
  '@baton/client',
  '@baton/protocol',
  '@baton/protocol/error',
  '@baton/protocol/values',
  '@baton/runtime',
  '@baton/runtime/adapter',
  '@baton/runtime/agent',
  '@baton/runtime/conformance',
  '@baton/runtime/contracts',
];
/** Examples that need nobody else, and end by themselves. */
const ALONE = ['backend.ts', 'pool.ts'];

const project = inject('project');
const installed = (name: string) => join(project, 'node_modules/@baton', name);

function run(file: string, args: readonly string[], cwd = project): SpawnSyncReturns<string> {
  const env = { ...process.env, BATON_DEMO_PACE: '0' };
  return spawnSync(file, args, { cwd, env, encoding: 'utf8' });
}

function evaluate(program: string, ...flags: string[]): SpawnSyncReturns<string> {
  return run(process.execPath, [...flags, '--input-type=module', '-e', program]);
}

test('the tarballs are those of the public packages', () => {
  expect(tarballs().map((path) => basename(path))).toEqual(
    NAMES.map((name) => `baton-${name}-${manifestOf(name).version}.tgz`),
  );
});

describe.each(NAMES)('the package %s', (name) => {
  test('passes publint', async () => {
    const tarball = readFileSync(tarballs().find((path) => path.includes(`-${name}-`)) ?? '');
    const { messages } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer } });
    expect(messages).toEqual([]);
  });

  test('has its README, its licence and no tests', () => {
    expect(existsSync(join(installed(name), 'LICENSE'))).toBe(true);
    const readme = readFileSync(join(installed(name), 'README.md'), 'utf8');
    expect(readme).toContain(`# @baton/${name}\n`);
    const files = globSync('**/*', { cwd: installed(name) });
    expect(files.filter((file) => /\.test\.|testing/.test(file))).toEqual([]);
  });

  test('has maps for its code, and the source that they lead to', () => {
    const code = globSync(['*.js', 'lib/**/*.js'], { cwd: installed(name) }).filter((file) => {
      return readFileSync(join(installed(name), file), 'utf8').includes('//# sourceMappingURL=');
    });
    expect(code.length).toBeGreaterThan(10);
    for (const file of code) {
      const path = join(installed(name), `${file}.map`);
      const { sources, sourcesContent } = JSON.parse(readFileSync(path, 'utf8'));
      const missing = sources.filter((source: string, index: number) => {
        if (source.endsWith('.json')) return false;
        return !sourcesContent?.[index] && !existsSync(resolve(dirname(path), source));
      });
      expect([file, missing]).toEqual([file, []]);
    }
  });

  test('depends on exact versions of the others, and has nothing for development', () => {
    const { dependencies = {}, devDependencies } = manifestOf(name);
    const siblings = Object.entries(dependencies).filter(([other]) => other.startsWith('@baton/'));
    for (const [, version] of siblings) expect(version).toBe(manifestOf(name).version);
    expect(devDependencies).toBeUndefined();
  });
});

test.each(LIBRARIES)('the types of %s are found by every resolution of modules', (name) => {
  const attw = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const tarball = tarballs().find((path) => path.includes(`-${name}-`)) ?? '';
  const flags = ['--profile', 'esm-only', '--format', 'ascii', '--no-definitely-typed'];
  const { status, stdout } = run(process.execPath, [attw, tarball, ...flags]);
  expect([status, status === 0 ? '' : stdout]).toEqual([0, '']);
});

test('the command includes the licenses of its dependencies', () => {
  const notices = readFileSync(join(installed('cli'), 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  for (const name of ['zod', 'koa', 'socket.io', 'pg', 'react', 'marked']) {
    expect(notices).toMatch(
      new RegExp(`^${name} \\d[^\\n]*\\([^\\n]+\\)\\n\\n[^]*?copyright`, 'mi'),
    );
  }
  expect(notices).not.toContain('vitest');
});

test('all packages together have one copy of the protocol', () => {
  const copies = globSync('**/@baton/protocol/package.json', {
    cwd: join(project, 'node_modules'),
  });
  expect(copies).toEqual(['@baton/protocol/package.json']);
  const program = `
    import { BatonError as own } from '@baton/protocol';
    import { BatonError, loadBackend } from '@baton/runtime';
    const error = await loadBackend('nobody').catch((error) => error);
    console.log(own === BatonError, error instanceof BatonError);`;
  expect(evaluate(program)).toMatchObject({ stdout: 'true true\n', stderr: '' });
});

test.each(ENTRIES)('%s is an entry that Node finds', (entry) => {
  expect(evaluate(`import '${entry}'`)).toMatchObject({ status: 0, stderr: '' });
});

test('there are no entries except those for users', () => {
  for (const entry of ['@baton/runtime/internal', '@baton/runtime/lib/index.js', '@baton/cli']) {
    expect(evaluate(`import '${entry}'`).stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  }
});

/** Entries that load nothing, and so check nothing. */
const BARE = ['@baton/protocol/error', '@baton/runtime/agent'];

test.each(ENTRIES.filter((entry) => !BARE.includes(entry)))(
  '%s tells an old Node which one it needs',
  (entry) => {
    const old = `Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } });
      delete Promise.withResolvers;`;
    const { status, stderr } = evaluate(
      `import '${entry}'`,
      '--import',
      `data:text/javascript,${encodeURIComponent(old)}`,
    );
    expect(status).toBe(1);
    expect(stderr).toContain('BatonError: Baton requires Node 22.14 or newer; this is 20.1.0.');
    expect(stderr).toContain('npm install node@24');
  },
);

test('the command is installed for all users as the README says', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [command = ''] = /^npm install -g \S+\.tgz/m.exec(readme) ?? [];
  const prefix = mkdtempSync(join(tmpdir(), 'baton-prefix-'));
  try {
    const args = `${command} --prefix "${prefix}" --offline --no-audit --no-fund`;
    expect(run('sh', ['-c', args], ROOT)).toMatchObject({ status: 0 });
    const version = run(join(prefix, 'bin/baton'), ['--version'], prefix);
    expect(version.stdout).toBe(`${manifestOf('cli').version}\n`);
  } finally {
    rmSync(prefix, { recursive: true });
  }
});

describe('the examples', () => {
  const isForUsers = (page: string) => page.endsWith('README.md') || page === 'docs/library.md';
  const blocks = codeBlocks().filter(({ page, language }) => language === 'ts' && isForUsers(page));
  const alone = blocks.filter(({ suite }) => suite === 'core');
  const folder = join(project, 'examples');
  const nameOf = ({ page, line }: { page: string; line: number }) =>
    `${page.replaceAll(/\W/g, '-')}-${line}.ts`;

  beforeAll(() => {
    mkdirSync(folder);
    cpSync(join(ROOT, 'examples/embed'), folder, { recursive: true });
    for (const block of blocks) writeFileSync(join(folder, nameOf(block)), block.code);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ['node16', ['--module', 'node16']],
    ['nodenext', ['--module', 'nodenext']],
    ['bundler', ['--module', 'preserve', '--moduleResolution', 'bundler']],
  ])('compile strictly with the module resolution %s', (_name, modules) => {
    const files = globSync('*.ts', { cwd: folder });
    expect(files.length).toBeGreaterThan(15);
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--isolatedModules'];
    const flags = [...strict, '--target', 'es2024', '--types', 'node', ...modules];
    expect(run(process.execPath, [tsc, ...flags, ...files], folder).stdout).toBe('');
  });

  test('import nothing of the protocol', () => {
    for (const { code } of blocks) expect(code).not.toContain('@baton/protocol');
  });

  describe.each([
    ['24', () => process.execPath],
    ['22', ensureNode22],
  ])('on Node %s', (major, find) => {
    const node = find();

    test('have the right Node', () => {
      expect(run(node, ['--version']).stdout).toMatch(new RegExp(`^v${major}\\.`));
    });

    test.each([...alone.map(nameOf), ...ALONE])('%s runs', (file) => {
      const { status, stderr } = run(node, ['--no-warnings', file], folder);
      expect([status, stderr]).toEqual([0, '']);
    });
  });
});

function manifestOf(name: string): {
  version: string;
  dependencies?: Record<string, string>;
  devDependencies?: unknown;
} {
  return JSON.parse(readFileSync(join(installed(name), 'package.json'), 'utf8'));
}
