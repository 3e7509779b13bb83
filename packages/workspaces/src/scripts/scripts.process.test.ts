import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isAlive, startTicksOf } from '@baton/process';
import { expect, onTestFinished, test } from 'vitest';
import { TestWorld } from '../testing/world.ts';
import { copyFiles } from './copy-files.ts';
import { assignPorts } from './ports.ts';
import { type RunScriptOptions, runScript } from './run-script.ts';
import { SetupCache } from './setup-cache.ts';

const ENV = { PATH: process.env.PATH };

async function world() {
  const user = new TestWorld();
  const head = user.commit({ a: 'a', 'lock.json': '1' });
  const { record } = await user.create();
  const lines: string[] = [];
  const run = (script: RunScriptOptions['script'], more: Partial<RunScriptOptions> = {}) =>
    runScript({
      script,
      workspace: record,
      env: ENV,
      onLine: (line, stream) => lines.push(`${stream}: ${line}`),
      ...more,
    });
  return { user, head, record, lines, run };
}

test('runs a script with the variables of the workspace and streams its lines', async () => {
  const { run, lines, record, head, user } = await world();
  const script =
    'echo "$PORT $BATON_BRANCH $BATON_BASE_COMMIT"; echo "$BATON_REPOSITORY" >&2; pwd; exit 3';
  const result = await run(script, { workspace: { ...record, ports: { PORT: 1234 } } });
  expect(result).toMatchObject({ exitCode: 3, stopped: undefined });
  expect(lines.sort()).toEqual(
    [`stderr: ${user.root}`, `stdout: ${record.path}`, `stdout: 1234 baton/task ${head}`].sort(),
  );
  expect(await run(['printf', '%s', '$HOME; "x"'])).toMatchObject({ exitCode: 0 });
  expect(lines.at(-1)).toBe('stdout: $HOME; "x"');
});

/** A process that was killed stays in the table until its parent has asked for its exit code. */
const isRunning = (pid: string) =>
  isAlive({ pid: Number(pid), startTicks: startTicksOf(Number(pid)) ?? 0 });
const PIDS = 'sleep 300 & echo $!; (setsid sleep 300 & echo $!) ; wait; sleep 300';

test('stops the whole process tree at the time limit', async () => {
  const { run, lines } = await world();
  expect(await run(PIDS, { timeoutMs: 300 })).toMatchObject({ exitCode: null, stopped: 'timeout' });
  const pids = lines.map((line) => line.slice('stdout: '.length));
  expect(pids).toHaveLength(2);
  expect(pids.filter(isRunning)).toEqual([]);
});

test('stops the whole process tree when it is aborted', async () => {
  const { run, lines } = await world();
  const stop = new AbortController();
  const running = run(PIDS, {
    signal: stop.signal,
    onLine: (line) => {
      lines.push(line);
      if (lines.length === 2) stop.abort();
    },
  });
  expect(await running).toMatchObject({ exitCode: null, stopped: 'aborted' });
  expect(lines.filter(isRunning)).toEqual([]);
});

test('leaves no process of a script that has ended', async () => {
  const { run, lines } = await world();
  expect(await run('sleep 300 >/dev/null 2>&1 & echo $!')).toMatchObject({ exitCode: 0 });
  expect(isRunning(lines[0]?.slice('stdout: '.length) ?? '')).toBe(false);
});

test('gives each workspace ports that nothing else has', async () => {
  const { user, record } = await world();
  const { record: other } = await user.create();
  const [one, two] = await Promise.all([
    assignPorts(user.files, record.workspace_id, ['PORT', 'DB_PORT']),
    assignPorts(user.files, other.workspace_id, ['PORT']),
  ]);
  const all = [...Object.values(one), ...Object.values(two)];
  expect(new Set(all).size).toBe(3);
  const server = createServer().listen(one.PORT, '127.0.0.1');
  onTestFinished(() => void server.close());
  expect(await assignPorts(user.files, record.workspace_id, ['PORT', 'DB_PORT'])).toEqual(one);
  expect(user.files.get(record.workspace_id).ports).toEqual(one);
});

test('copies files into the workspace, and none that lead out of it', async () => {
  const { user, record } = await world();
  user.write({ '.env': 'KEY=1', 'conf/local.json': '{}', a: 'changed' });
  const places = { source: user.root, target: record.path };
  expect(await copyFiles(['.env', 'conf/local.json', 'a', 'missing'], places)).toEqual({
    copied: ['.env', 'conf/local.json'],
    skipped: ['a', 'missing'],
  });
  expect(readFileSync(join(record.path, '.env'), 'utf8')).toBe('KEY=1');
  user.write({ secret: 's' }, user.folder);
  symlinkSync('../secret', join(user.root, 'link'));
  symlinkSync(user.folder, join(record.path, 'out'));
  for (const path of ['../secret', 'link', '/etc/passwd', '.git/config', 'out/x', '~/x', '.']) {
    await expect(copyFiles([path], places), path).rejects.toMatchObject({ code: 'config_invalid' });
  }
  expect(readdirSync(user.folder)).not.toContain('x');
});

test('brings a result of the setup back for the same files only, and keeps the last ones', async () => {
  const { user, record } = await world();
  const cache = new SetupCache({ folder: join(user.state, 'cache'), keep: 2 });
  const key = (path: string) =>
    cache.keyOf(path, { script: 'npm ci', files: ['lock.json', 'none'] });
  user.write({ 'node_modules/x/index.js': 'x' }, record.path);
  symlinkSync('x', join(record.path, 'node_modules/link'));
  const first = key(record.path);
  expect(await cache.restore(first, record.path)).toBe(false);
  await cache.save(first, record.path, ['node_modules', 'not-made']);
  const { record: other } = await user.create();
  expect(key(other.path)).toBe(first);
  expect(await cache.restore(first, other.path)).toBe(true);
  expect(readFileSync(join(other.path, 'node_modules/x/index.js'), 'utf8')).toBe('x');
  expect(readlinkSync(join(other.path, 'node_modules/link'))).toBe('x');
  expect(await cache.restore(first, other.path)).toBe(false);
  for (const content of ['2', '3']) {
    user.write({ 'lock.json': content }, record.path);
    expect(key(record.path)).not.toBe(first);
    await cache.save(key(record.path), record.path, ['node_modules']);
  }
  expect(readdirSync(join(user.state, 'cache'))).toHaveLength(2);
  await expect(cache.save('k', record.path, ['../..'])).rejects.toMatchObject({
    code: 'config_invalid',
  });
  mkdirSync(join(user.folder, 'elsewhere'));
  symlinkSync(join(user.folder, 'elsewhere'), join(record.path, 'linked'));
  await expect(cache.save('k', record.path, ['linked'])).rejects.toThrow('not a path inside');
});
