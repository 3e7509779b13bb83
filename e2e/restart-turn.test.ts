import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { world } from './workspace-world.ts';

/** A session with two turns, of which the second changes a.txt and the third makes c.txt. */
async function turns(workspace?: { kind: 'worktree'; name: string }) {
  const made = await world();
  const { client, run, session } = made;
  const { session_id } = await session(workspace ? { workspace } : {});
  const first = await run(session_id, [{ shell: 'echo one-more >> a.txt' }]);
  const second = await run(session_id, [{ shell: 'echo wrong >> a.txt; rm b.txt' }]);
  const third = await run(session_id, [{ shell: 'echo x > c.txt' }]);
  const { cwd } = await client.sessions.get(session_id);
  const read = (folder: string, name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined;
  const filesOf = (folder: string) => ['a.txt', 'b.txt', 'c.txt'].map((name) => read(folder, name));
  const ended = async (task: { task_id: string; session_id: string }) => {
    await (await client.join(task.task_id)).collect();
    return client.sessions.get(task.session_id);
  };
  return { ...made, session_id, first, second, third, cwd, filesOf, ended };
}

const START_OF_SECOND = ['one\none-more\n', 'b\n', undefined];
const PRESENT = ['one\none-more\nwrong\n', undefined, 'x\n'];
const SAY = 'demo:script [{"say": "Hello."}]';
const LOOK = `demo:script ${JSON.stringify([{ shell: 'cat a.txt b.txt > seen.txt' }])}`;

test('a retry starts with the files as they were, and what was there can be brought back', async () => {
  const { client, repository, session_id, second, filesOf, ended } = await turns();
  writeFileSync(join(repository, 'mine.txt'), 'by hand\n');
  const retry = { task_id: second, prompt: LOOK, files: 'restored' } as const;
  const copy = await ended(await client.sessions.retryTask(session_id, retry));
  expect(copy.cwd).toBe(repository);
  expect(readFileSync(join(repository, 'seen.txt'), 'utf8')).toBe('one\none-more\nb\n');
  expect(filesOf(repository)).toEqual(START_OF_SECOND);
  expect(existsSync(join(repository, 'mine.txt'))).toBe(true);
  const { events } = await client.events.find({ session_id: copy.session_id, after: 0 });
  expect(events.filter(({ type }) => type === 'session.notice')).toMatchObject([
    { code: 'undone', message: expect.stringContaining('a.txt, b.txt, c.txt') },
  ]);
  // A second retry also takes back what the first one did.
  await ended(await client.sessions.retryTask(session_id, { ...retry, prompt: SAY }));
  expect(existsSync(join(repository, 'seen.txt'))).toBe(false);
  const undo = (await client.checkpoints.find(session_id)).find(({ kind }) => kind === 'undo');
  await client.checkpoints.undo({ session_id, checkpoint: undo?.number });
  expect(filesOf(repository)).toEqual(PRESENT);
});

test('a retry keeps the files unless it is asked to restore them', async () => {
  const { client, repository, session_id, second, filesOf, ended } = await turns();
  await ended(await client.sessions.retryTask(session_id, { task_id: second, prompt: SAY }));
  expect(filesOf(repository)).toEqual(PRESENT);
});

test('files are not restored while an agent works in them, also one of another session', async () => {
  const { client, repository, session_id, second, filesOf, session } = await turns();
  const other = await session();
  const { task_id } = await client.sessions.executeTask(other.session_id, { prompt: 'demo:stall' });
  await vi.waitFor(async () => {
    const { workspace } = await client.sessions.get(other.session_id);
    expect(workspace).not.toBeNull();
  });
  const refused = { code: 'conflict', hint: expect.stringContaining('Stop its task') };
  const retry = { task_id: second, files: 'restored' } as const;
  await expect(client.sessions.retryTask(session_id, retry)).rejects.toMatchObject(refused);
  await expect(client.checkpoints.undo({ session_id })).rejects.toMatchObject(refused);
  expect(filesOf(repository)).toEqual(PRESENT);
  await client.sessions.stopTask(other.session_id, { task_id });
});

test('a fork of a session in a worktree gets a worktree of its own, with the files of that turn', async () => {
  const made = await turns({ kind: 'worktree', name: 'Fix it' });
  const { client, git, session_id, second, third, cwd, filesOf, ended, run } = made;
  const fork = await client.sessions.fork(session_id, { before_task: second });
  expect(fork.workspace).toMatchObject({
    kind: 'worktree',
    base_ref: 'main',
    session_id: fork.session_id,
  });
  expect(fork.cwd).not.toBe(cwd);
  expect(filesOf(fork.cwd)).toEqual(START_OF_SECOND);
  await run(fork.session_id, [{ shell: 'pwd > where.txt; echo forked >> a.txt' }]);
  expect(readFileSync(join(fork.cwd, 'where.txt'), 'utf8').trim()).toBe(fork.cwd);
  expect(filesOf(cwd)).toEqual(PRESENT);
  const { changes } = await client.sessions.get(fork.session_id);
  expect(changes).toMatchObject({ paths: ['a.txt', 'where.txt'] });
  const whole = await client.sessions.fork(session_id);
  expect(filesOf(whole.cwd)).toEqual(PRESENT);
  const shared = await client.sessions.fork(session_id, { before_task: third, files: 'present' });
  expect(shared).toMatchObject({ cwd, workspace: { path: cwd } });
  const again = { task_id: second, prompt: LOOK, files: 'worktree' } as const;
  const retried = await ended(await client.sessions.retryTask(session_id, again));
  expect(readFileSync(join(retried.cwd, 'seen.txt'), 'utf8')).toBe('one\none-more\nb\n');
  expect(git('branch', '--list', 'baton/*').split('\n')).toHaveLength(4);
  expect(git('status', '--porcelain')).toBe('');
});

test('a fork of a session in place stays there unless it is asked for a worktree', async () => {
  const { client, repository, session_id, second, filesOf } = await turns();
  const shared = await client.sessions.fork(session_id, { before_task: second });
  expect(shared.cwd).toBe(repository);
  const fork = await client.sessions.fork(session_id, { before_task: second, files: 'worktree' });
  expect(filesOf(fork.cwd)).toEqual(START_OF_SECOND);
  expect(filesOf(repository)).toEqual(PRESENT);
});

test('a fork says why files cannot be used', async () => {
  const { client, session_id, first, session } = await turns();
  const restored = client.sessions.fork(session_id, { files: 'restored' });
  await expect(restored).rejects.toMatchObject({ code: 'usage' });
  const other = await session();
  const files = 'worktree';
  await expect(client.sessions.fork(other.session_id, { files })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('no task has started'),
  });
  const foreign = client.sessions.fork(other.session_id, { before_task: first });
  await expect(foreign).rejects.toMatchObject({ code: 'not_found' });
});
