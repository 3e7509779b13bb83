import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { changesWire, checkpointsWire, finishWire } from '@baton/protocol/wire';
import { createWorktree, WorkspaceHome } from '@baton/workspaces';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { world, worldOnForge } from './workspace-world.ts';

const listed = ({ files }: { files: readonly { path: string; origin: { by: string } }[] }) =>
  files.map(({ path, origin }) => `${path} ${origin.by}`);

test('the change of a session includes what its commands did, and follows the files', async () => {
  const { repository, git, client, run, session } = await world();
  const { session_id } = await session();
  const first = await run(session_id, [{ shell: 'echo two >> a.txt; echo new > "new file.txt"' }]);
  const found = await client.changes.find({ session_id });
  expect(changesWire.find.result.safeParse(found).error?.issues).toBeUndefined();
  expect(listed(found)).toEqual(['a.txt command', 'new file.txt command']);
  const { patch } = await client.changes.diff({
    session_id,
    from: found.from,
    to: found.to,
    path: 'a.txt',
  });
  expect(patch).toContain('+two');
  writeFileSync(join(repository, 'mine.txt'), 'by hand\n');
  expect(listed(await client.changes.find({ session_id }))).toContain('mine.txt other');
  expect(
    listed(await client.changes.find({ session_id, compare: 'turn', task_id: first })),
  ).toEqual(['a.txt command', 'new file.txt command']);
  git('checkout', '.');
  git('clean', '-fdq');
  expect((await client.changes.find({ session_id })).files).toEqual([]);
});

test('a turn can be undone, and the undo too', async () => {
  const { repository, client, run, session } = await world();
  const { session_id } = await session();
  await run(session_id, [{ shell: 'echo one-more >> a.txt' }]);
  const second = await run(session_id, [{ shell: 'rm b.txt; echo x > c.txt' }]);
  const undone = await client.checkpoints.undo({ session_id, task_id: second });
  expect(checkpointsWire.undo.result.safeParse(undone).error?.issues).toBeUndefined();
  expect(readFileSync(join(repository, 'b.txt'), 'utf8')).toBe('b\n');
  expect(existsSync(join(repository, 'c.txt'))).toBe(false);
  expect(readFileSync(join(repository, 'a.txt'), 'utf8')).toBe('one\none-more\n');
  await client.checkpoints.undo({ session_id, checkpoint: undone.before.number });
  expect(readFileSync(join(repository, 'c.txt'), 'utf8')).toBe('x\n');
  const kinds = (await client.checkpoints.find(session_id)).map(({ kind }) => kind);
  expect(kinds).toEqual(['start', 'after', 'before', 'after', 'undo', 'undo']);
  expect(existsSync(join(repository, '.git/refs/checkpoints'))).toBe(false);
});

test('a session in a worktree leaves the folder alone and says where it works', async () => {
  const { home, repository, git, client, run, session } = await world();
  const { session_id } = await session({ workspace: { kind: 'worktree', name: 'Fix the bug' } });
  await run(session_id, [{ shell: 'pwd > where.txt; echo changed > a.txt' }]);
  const { workspace, cwd, changes, workspace_request } = await client.sessions.get(session_id);
  expect(workspace).toMatchObject({
    kind: 'worktree',
    branch: 'baton/fix-the-bug',
    base_ref: 'main',
  });
  expect(workspace_request).toBeNull();
  expect(cwd).toBe(join(home, 'baton-workspaces/app/fix-the-bug'));
  expect(readFileSync(join(cwd, 'where.txt'), 'utf8').trim()).toBe(cwd);
  expect(changes).toMatchObject({ files: 2, paths: ['a.txt', 'where.txt'] });
  expect(git('status', '--porcelain')).toBe('');
  expect(readFileSync(join(repository, 'a.txt'), 'utf8')).toBe('one\n');
  // The next turn works in the same worktree.
  await run(session_id, [{ shell: 'echo again >> a.txt' }]);
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('changed\nagain\n');
  expect(listed(await client.changes.find({ session_id, compare: 'base' }))).toEqual([
    'a.txt command',
    'where.txt command',
  ]);
});

test('a worktree that cannot be made fails the task with the reason', async () => {
  const { client, session } = await world();
  const { session_id } = await session({ workspace: { kind: 'worktree', base: 'no-such-branch' } });
  const task = await client.sessions.executeTask(session_id, { prompt: 'Hi' });
  const { outcome, error } = await (await client.join(task.task_id)).collect();
  expect(outcome).toBe('failed');
  expect(error).toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('no-such-branch'),
  });
});

test('the agent starts after the setup of a trusted project, whose output is in the transcript', async () => {
  const config = {
    workspace: {
      setup: 'echo installing; cp .env installed.txt; echo "port $WEB_PORT"',
      copy: ['.env'],
      ports: ['WEB_PORT'],
      env: { GREETING: 'hello' },
    },
  };
  const { repository, client, run, session } = await world({
    'baton.json': JSON.stringify(config),
    '.gitignore': '.env\n',
  });
  writeFileSync(join(repository, '.env'), 'SECRET=1\n');
  await client.trustedFolders.create({ folder: repository, trusted: true });
  const { session_id } = await session({ workspace: { kind: 'worktree', name: 'set up' } });
  await run(session_id, [
    { shell: 'cat installed.txt > seen.txt; echo "$GREETING $WEB_PORT" >> seen.txt' },
  ]);
  const { cwd, workspace } = await client.sessions.get(session_id);
  const port = workspace?.ports.WEB_PORT;
  expect(port).toBeGreaterThan(1023);
  expect(readFileSync(join(cwd, 'seen.txt'), 'utf8')).toBe(`SECRET=1\nhello ${port}\n`);
  expect(workspace?.setup).toMatchObject({ exit_code: 0, from_cache: false });
  const { entries } = await client.transcript.find({ session_id });
  const [setup] = entries.filter(({ kind }) => kind === 'tool');
  expect(setup).toMatchObject({
    name: 'setup',
    outcome: 'ok',
    output: `installing\nport ${port}\n`,
  });
});

test('a failed setup ends the task with its log, and runs again with the next prompt', async () => {
  const setup = 'echo trying; test -e "$BATON_REPOSITORY/fixed"';
  const { repository, client, run, session } = await world({
    'baton.json': JSON.stringify({ workspace: { setup } }),
  });
  await client.trustedFolders.create({ folder: repository, trusted: true });
  const { session_id } = await session({ workspace: { kind: 'worktree' } });
  const task = await client.sessions.executeTask(session_id, { prompt: 'Hi' });
  const { outcome, error } = await (await client.join(task.task_id)).collect();
  expect(outcome).toBe('failed');
  expect(error).toMatchObject({ code: 'setup_failed', message: 'The setup exited with 1.' });
  expect((await client.sessions.get(session_id)).workspace).toMatchObject({ state: 'failed' });
  writeFileSync(join(repository, 'fixed'), '');
  await run(session_id, [{ say: 'Hello.' }]);
  expect((await client.sessions.get(session_id)).workspace).toMatchObject({ state: 'idle' });
});

test('settings of a project that nobody trusts are not used', async () => {
  const { client, run, session } = await world({
    'baton.json': JSON.stringify({ workspace: { setup: 'touch executed', default: 'worktree' } }),
  });
  const { session_id } = await session({ workspace: { kind: 'worktree' } });
  await run(session_id, [{ say: 'Hello.' }]);
  const { cwd } = await client.sessions.get(session_id);
  expect(existsSync(join(cwd, 'executed'))).toBe(false);
  const { events } = await client.events.find({ session_id, after: 0 });
  const notices = events.filter(({ type }) => type === 'notice');
  expect(notices).toMatchObject([{ message: expect.stringContaining('not trusted') }]);
});

test('a session in a folder that is gone fails with the reason, and starts no worktree', async () => {
  const { repository, client, session } = await world();
  const { session_id } = await session();
  const other = await session({ workspace: { kind: 'worktree' } });
  rmSync(repository, { recursive: true });
  for (const id of [session_id, other.session_id]) {
    const task = await client.sessions.executeTask(id, { prompt: 'Hi' });
    const { outcome, error } = await (await client.join(task.task_id)).collect();
    expect({ outcome, code: error?.code }).toEqual({ outcome: 'failed', code: 'cwd_missing' });
  }
});

test('the sessions of a worktree know that it was removed and restored', async () => {
  const { client, run, session } = await world();
  const workspace = { kind: 'worktree', workspace_id: 'ws_shared', name: 'shared' };
  const ids = [await session({ workspace }), await session({ workspace })].map((s) => s.session_id);
  for (const id of ids) await run(id, [{ say: 'Ready.' }]);
  const states = () =>
    Promise.all(ids.map(async (id) => (await client.sessions.get(id)).workspace?.state));
  await client.workspaces.removeWorktree({ workspace_id: 'ws_shared' });
  expect(await states()).toEqual(['removed', 'removed']);
  await client.workspaces.restore('ws_shared');
  expect(await states()).toEqual(['idle', 'idle']);
  await run(ids[0] ?? '', [{ say: 'Again.' }]);
});

test('a worktree is not removed while its agent works, and those of no session are for owners', async () => {
  const { home, repository, client, served, run, session } = await world();
  const { session_id } = await session({ workspace: { kind: 'worktree', name: 'own' } });
  await run(session_id, [{ say: 'Ready.' }]);
  const { workspace, cwd } = await client.sessions.get(session_id);
  const workspace_id = workspace?.workspace_id ?? '';
  const working = run(session_id, [
    { shell: 'echo started > started; until test -e go; do sleep 0.05; done' },
  ]);
  await expect.poll(() => existsSync(join(cwd, 'started'))).toBe(true);
  await expect(
    client.workspaces.removeWorktree({ workspace_id, force: true }),
  ).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('still working') });
  writeFileSync(join(cwd, 'go'), '');
  await working;
  const options = {
    stateFolder: join(home, '.baton/workspaces'),
    folder: join(home, 'baton-workspaces'),
  };
  const local = new WorkspaceHome(options);
  const { record } = await createWorktree({
    ...local,
    source: repository,
    folder: local.folder,
    name: 'by hand',
  });
  const { link_secret } = await client.users.create({ name: 'Somebody', role: 'member' });
  const stranger = new BatonClient({ url: served.url });
  const { accessToken } = await stranger.authentication.withLink(link_secret);
  stranger.close();
  const member = new BatonClient({ url: served.url, token: accessToken });
  onTestFinished(() => member.close());
  const ids = async (who: BatonClient) =>
    (await who.workspaces.find()).map((each) => each.workspace_id).sort();
  expect(await ids(client)).toEqual([workspace_id, record.workspace_id].sort());
  expect(await ids(member)).toEqual([workspace_id]);
  const foreign = { workspace_id: record.workspace_id, force: true };
  await expect(member.workspaces.removeWorktree(foreign)).rejects.toMatchObject({
    code: 'not_found',
  });
  await member.workspaces.removeWorktree({ workspace_id, force: true });
  await member.workspaces.restore(workspace_id);
  expect(existsSync(join(cwd, 'started'))).toBe(true);
  expect((await client.workspaces.removeWorktree(foreign)).state).toBe('removed');
});

test('work is committed and merged as planned, and the log has who ordered it', async () => {
  const { git, client, run, session } = await world();
  const { session_id } = await session({ workspace: { kind: 'worktree', name: 'Count up' } });
  await run(session_id, [{ shell: 'echo two >> a.txt; echo new > n.txt' }]);
  const request = { action: 'merge', method: 'squash' } as const;
  const plan = await client.finish.plan(session_id, request);
  expect(finishWire.plan.result.safeParse(plan).error?.issues).toBeUndefined();
  expect(plan).toMatchObject({ is_possible: true, message: 'Count up', branch: 'baton/count-up' });
  expect(plan.commit?.paths).toEqual(['a.txt', 'n.txt']);
  // Somebody edits a file after the plan was read.
  const { cwd } = await client.sessions.get(session_id);
  writeFileSync(join(cwd, 'later.txt'), 'later\n');
  await expect(client.finish.carryOut(session_id, request, plan)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('have changed since'),
  });
  expect(git('log', '--format=%s', '--all')).toBe('first');
  const done = await client.finish.carryOut(
    session_id,
    request,
    await client.finish.plan(session_id, request),
  );
  expect(finishWire.carryOut.result.safeParse(done).error?.issues).toBeUndefined();
  expect(git('log', '--format=%s|%an', 'main')).toBe('Count up|U\nfirst|U');
  expect(git('show', 'main:later.txt')).toBe('later');
  const { events } = await client.events.find({ session_id, types: ['work.finished'] });
  expect(events).toMatchObject([
    { type: 'work.finished', action: 'merge', target: 'main', commit: git('rev-parse', 'main') },
  ]);
  expect(events[0]).toHaveProperty('by', expect.any(String));
  await client.finish.carryOut(
    session_id,
    { action: 'discard' },
    await client.finish.plan(session_id, { action: 'discard' }),
  );
  expect(existsSync(cwd)).toBe(false);
});

test('a pull request is made by the daemon, and its session knows it', async ({ skip }) => {
  skip(!inject('hasGh'), 'gh is not installed');
  const { forge, client, run, session } = await worldOnForge();
  const { session_id } = await session({ workspace: { kind: 'worktree', name: 'Count up' } });
  await run(session_id, [{ shell: 'echo two >> a.txt' }]);
  const request = { action: 'pr', draft: true } as const;
  const plan = await client.finish.plan(session_id, request);
  expect(finishWire.plan.result.safeParse(plan).error?.issues).toBeUndefined();
  expect(plan.pr).toMatchObject({ title: 'Count up', base: 'main', program: 'gh', draft: true });
  const done = await client.finish.carryOut(session_id, request, plan);
  expect(finishWire.carryOut.result.safeParse(done).error?.issues).toBeUndefined();
  const url = 'http://github.localhost/ada/app/pull/12';
  expect(done.pull_request).toEqual({ url, number: 12, is_new: true });
  expect(forge.pulls).toMatchObject([{ title: 'Count up', isDraft: true }]);
  const { events } = await client.events.find({ session_id, types: ['work.finished'] });
  expect(events).toMatchObject([{ action: 'pr', target: 'origin', url }]);
  expect((await client.sessions.get(session_id)).workspace?.pull_request).toEqual({
    url,
    number: 12,
  });
});

test('nothing is finished while an agent works in the folder', async () => {
  const { client, run, session } = await world();
  const { session_id } = await session();
  await run(session_id, [{ shell: 'echo two >> a.txt' }]);
  const request = { action: 'commit' } as const;
  const plan = await client.finish.plan(session_id, request);
  const task = await client.sessions.executeTask(session_id, { prompt: 'demo:stall' });
  const working = await client.join(task.task_id);
  await vi.waitFor(async () => {
    expect(await client.tasks.get(task.task_id)).toMatchObject({ status: 'RUNNING' });
  });
  await expect(client.finish.carryOut(session_id, request, plan)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('still working'),
  });
  await working.cancel();
});
