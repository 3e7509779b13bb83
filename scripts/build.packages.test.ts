import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const inRoot = (...args: string[]) =>
  execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });

test('the built library runs an agent without Zod', () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-library-'));
  const run = (program: string) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: folder,
      encoding: 'utf8',
    });
  try {
    for (const name of ['protocol', 'runtime']) {
      const built = join(ROOT, 'packages', name, 'dist');
      cpSync(built, join(folder, 'node_modules/@baton', name), { recursive: true });
    }
    cpSync(join(ROOT, 'node_modules/diff'), join(folder, 'node_modules/diff'), { recursive: true });
    const hello = `
      import { loadBackend } from '@baton/runtime';
      const demo = await loadBackend('demo');
      const { output } = await demo.run({ prompt: 'demo:script [{"say":"Hello."}]' }).collect();
      console.log(output);`;
    expect(run(hello)).toMatchObject({ stdout: 'Hello.\n', stderr: '' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the built command tells an old Node the required version', () => {
  const pretend = `Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } })`;
  const args = ['--import', `data:text/javascript,${pretend}`, 'packages/cli/dist/main.js', 'run'];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect(status).toBe(2);
  expect(stderr).toContain('Baton requires Node 24 or newer; this is 20.1.0.');
});

test('the built command includes the schemas of configuration files', () => {
  const built = join(ROOT, 'packages/cli/dist/schemas');
  const names = ['baton.schema.json', 'chains.schema.json', 'config.schema.json'];
  expect(readdirSync(built).sort()).toEqual(names);
});

test('the built command runs the demo agent', () => {
  const prompt = 'demo:script [{"say":"Hello."}]';
  const args = ['packages/cli/dist/main.js', 'run', '--backend', 'demo', prompt];
  expect(inRoot(...args)).toBe('Hello.');
});

test('the built command loads only what a run needs, and caches its code', () => {
  const home = mkdtempSync(join(tmpdir(), 'baton-home-'));
  const hook = join(home, 'hook.cjs');
  writeFileSync(
    hook,
    `const { basename } = require('node:path');
    process.on('exit', () => process.stderr.write(Object.keys(require.cache).map((file) => basename(file)).join(' ')));`,
  );
  const env = { ...process.env, HOME: home, BATON_DEMO_PACE: '0' };
  const hello = (words: string) =>
    spawnSync(
      process.execPath,
      [
        '-r',
        hook,
        'packages/cli/dist/main.js',
        'run',
        '-b',
        'demo',
        `demo:script [{"say":"${words}"}]`,
      ],
      { cwd: ROOT, env, encoding: 'utf8' },
    );
  try {
    const { stdout, stderr } = hello('Hello.');
    expect(stdout).toBe('Hello.');
    expect(stderr.split(' ').sort()).toEqual([
      'cli.js',
      'cli2.js',
      // Which variables hold the keys of other providers, which the agent must not get.
      'codex-home2.js',
      'credentials.js',
      'credentials2.js',
      'credentials3.js',
      'credentials4.js',
      'define-backend.js',
      'demo.js',
      'gateway-access.js',
      'gateway-access2.js',
      'hook.cjs',
      'main.js',
      'opencode-home.js',
      'opencode-home2.js',
      'pi-home.js',
      'pi-home2.js',
      'toml.js',
      // Workspaces: the files are kept before and after the run.
      'turn.js',
    ]);
    expect(statSync(join(home, '.baton/cache')).mode & 0o777).toBe(0o700);
    expect(hello('Again.').stdout).toBe('Again.');
  } finally {
    rmSync(home, { recursive: true });
  }
});

test('the built command serves and is operated', async () => {
  const home = mkdtempSync(join(tmpdir(), 'baton-home-'));
  const env = { ...process.env, HOME: home };
  const main = 'packages/cli/dist/main.js';
  const daemon = spawn(process.execPath, [main, 'serve', '--port', '0'], { cwd: ROOT, env });
  const ended = once(daemon, 'exit');
  try {
    await once(daemon.stdout, 'data');
    const calls = [['login'], ['status'], ['db', 'backup', join(home, 'copy.db')], ['logout']];
    for (const args of calls) {
      const call = spawnSync(process.execPath, [main, ...args], { cwd: ROOT, env });
      expect([args, call.status, String(call.stderr)]).toEqual([args, 0, '']);
    }
  } finally {
    daemon.kill('SIGTERM');
    await ended;
    rmSync(home, { recursive: true });
  }
});

test('the built command prints what the source prints, in every script', () => {
  const { COLUMNS: _columns, ...env } = process.env;
  const printed = (main: string, ...args: string[]) =>
    spawnSync(process.execPath, [main, ...args], { cwd: ROOT, env, encoding: 'utf8' }).stdout;
  const [built, source] = ['packages/cli/dist/main.js', 'packages/cli/src/main.ts'];
  const recording = 'packages/agents/fixtures/claude/05-partial-messages/stdout';
  for (const args of [['backends'], ['doctor'], ['--help'], ['normalize', recording]]) {
    expect(printed(built, ...args)).toBe(printed(source, ...args));
  }
  expect(printed(built, 'backends')).toMatch(/[●○]/);
  const prompt = `demo:script ${JSON.stringify([{ say: 'Grüße, 世界 🎼' }])}`;
  expect(printed(built, 'run', '-b', 'demo', prompt)).toBe('Grüße, 世界 🎼');
});

test('the built command runs for a user without a home', () => {
  const { HOME: _home, ...env } = process.env;
  const args = ['packages/cli/dist/main.js', 'backends', '--json'];
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env: { ...env, HOME: 'not/a/whole/path' },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(existsSync(join(ROOT, 'not'))).toBe(false);
});
