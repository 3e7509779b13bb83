import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BatonClient } from '@baton/client';
import { expect, inject, onTestFinished, test } from 'vitest';
import { login, serveIn } from '../packages/cli/src/testing/served.ts';

const run = promisify(execFile);
const MAIN = inject('baton');
const NOT_ROOT = process.getuid?.() === 0 ? undefined : 'only root can give a process a host name';

/** A daemon that runs no task itself, and a repository that only its executor's machine has. */
async function world() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'baton-remote-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }));
  const repository = join(home, 'app');
  mkdirSync(repository);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: repository });
  git('init', '--quiet', '-b', 'main');
  writeFileSync(join(repository, 'a.txt'), 'one\n');
  git('add', '-A');
  git('-c', 'user.name=U', '-c', 'user.email=u@localhost', 'commit', '--quiet', '-m', 'first');
  const served = await serveIn(join(home, 'state'), 0, ['--slots', '0'], { HOME: home });
  const token = await login(served);
  const client = new BatonClient({ url: served.url, token });
  onTestFinished(() => client.close());
  /** Runs the next task on a machine of another name, with a home of its own; the executor is gone afterwards. */
  const onOtherMachine = async (sessionId: string, steps: readonly object[]) => {
    const { task_id } = await client.sessions.executeTask(sessionId, {
      prompt: `demo:script ${JSON.stringify(steps)}`,
      permission_mode: 'allow-all',
    });
    const elsewhere = join(home, 'elsewhere');
    mkdirSync(elsewhere, { recursive: true });
    const script = 'hostname other-machine && exec "$@"';
    const command = [process.execPath, MAIN, 'executor', '--daemon-url', served.url];
    await run('unshare', ['--uts', 'sh', '-c', script, 'sh', ...command, '--task-id', task_id], {
      env: { ...process.env, HOME: elsewhere, BATON_TOKEN: token, BATON_DEMO_PACE: '0' },
    });
    return task_id;
  };
  return { home, repository, client, url: served.url, token, onOtherMachine };
}

test('the true change on another machine is shown after its executor is gone', async (context) => {
  if (NOT_ROOT) context.skip(NOT_ROOT);
  const { home, repository, client, url, token, onOtherMachine } = await world();
  const { session_id } = await client.sessions.create({ cwd: repository, backend: 'demo' });
  const first = await onOtherMachine(session_id, [
    { shell: 'echo two >> a.txt; echo n > "n ü.txt"' },
  ]);
  await onOtherMachine(session_id, [{ shell: 'echo three >> a.txt' }]);
  // From here on nothing can be read from the disk.
  rmSync(repository, { recursive: true });
  rmSync(join(home, 'elsewhere'), { recursive: true });
  expect((await client.sessions.get(session_id)).workspace?.host).toBe('other-machine');
  const found = await client.changes.find({ session_id });
  expect(found.files.map(({ path, origin }) => `${path} ${origin.by}`)).toEqual([
    'a.txt command',
    'n ü.txt command',
  ]);
  const { from, to } = found;
  const { patch } = await client.changes.diff({ session_id, from, to, path: 'a.txt' });
  expect(patch).toMatch(/\+two\n\+three/);
  expect(patch).not.toContain('+n\n');
  const turn = await client.changes.find({ session_id, compare: 'turn', task_id: first });
  expect({ total: turn.total, additions: turn.additions }).toEqual({ total: 2, additions: 2 });
  expect((await client.changes.find({ session_id, compare: 'base' })).total).toBe(2);
  const shown = await run(process.execPath, [MAIN, 'diff', session_id, '--daemon', url], {
    env: { ...process.env, HOME: home, BATON_TOKEN: token },
  });
  expect(shown.stdout).toContain('+three');
  await expect(client.checkpoints.undo({ session_id })).rejects.toMatchObject({
    code: 'conflict',
    message: 'The files of the session are on other-machine.',
    hint: expect.stringContaining(`"baton undo" with -C ${repository}`),
  });
});

test('a change too large to be sent is listed, and the notice says where to see it', async (context) => {
  if (NOT_ROOT) context.skip(NOT_ROOT);
  const { repository, client, onOtherMachine } = await world();
  const { session_id } = await client.sessions.create({ cwd: repository, backend: 'demo' });
  await onOtherMachine(session_id, [{ shell: 'yes line | head -n 600000 > big.txt' }]);
  const { from, to, files } = await client.changes.find({ session_id });
  expect(files.map(({ path, additions }) => [path, additions])).toEqual([['big.txt', 600_000]]);
  expect(await client.changes.diff({ session_id, from, to })).toEqual({ patch: '', cut: true });
  const transcript = await client.transcript.find({ session_id });
  expect(JSON.stringify(transcript)).toContain('can be shown only on other-machine');
  expect(readFileSync(join(repository, 'a.txt'), 'utf8')).toBe('one\n');
});

test('the change on another machine is shown while its agent works', async (context) => {
  if (NOT_ROOT) context.skip(NOT_ROOT);
  const { repository, client, onOtherMachine } = await world();
  const { session_id } = await client.sessions.create({ cwd: repository, backend: 'demo' });
  await onOtherMachine(session_id, [{ say: 'Nothing yet.' }]);
  const working = onOtherMachine(session_id, [
    { shell: 'echo two >> a.txt' },
    { shell: 'until test -e .git/go; do sleep 0.05; done' },
  ]);
  const listed = async () => (await client.changes.find({ session_id })).files;
  await expect.poll(listed).toMatchObject([{ path: 'a.txt', additions: 1 }]);
  expect((await client.tasks.find({ session_id, status: 'RUNNING' })).data).toHaveLength(1);
  // The executor is asked for what nothing has told it to look at.
  writeFileSync(join(repository, 'by-hand.txt'), 'x\n');
  const origins = async () => (await listed()).map(({ path, origin }) => `${path} ${origin.by}`);
  expect(await origins()).toEqual(['a.txt command', 'by-hand.txt command']);
  await expect(client.checkpoints.undo({ session_id })).rejects.toMatchObject({ code: 'conflict' });
  writeFileSync(join(repository, '.git/go'), '');
  await working;
});
