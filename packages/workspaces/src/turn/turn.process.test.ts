import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkspaceEvent, WorkspaceRequest } from '@baton/protocol';
import { expect, test, vi } from 'vitest';
import { crashAt } from '../testing/crash.ts';
import { TestRepository } from '../testing/repository.ts';
import { TestWorld } from '../testing/world.ts';
import { WorkspaceHome } from '../workspace-home.ts';
import { FolderSessions } from '../worktree/folder-sessions.ts';
import { removalCheck, removeWorktree } from '../worktree/remove-worktree.ts';
import { Turn } from './turn.ts';
import type { TurnOptions } from './turn-options.ts';

const SHARED: WorkspaceRequest = { kind: 'worktree', workspace_id: 'ws_shared', name: 'shared' };

/** Begins turns of sessions in the repository of a world. */
function turnsOf(user: TestRepository) {
  const home = new WorkspaceHome({
    stateFolder: user.state,
    folder: join(user.folder, 'worktrees'),
  });
  const events: WorkspaceEvent[] = [];
  let count = 0;
  const begin = (request?: WorkspaceRequest, more: Partial<TurnOptions> = {}) => {
    count += 1;
    const ids = { sessionId: `session-${count}`, taskId: `task-${count}` };
    const onEvent = (event: WorkspaceEvent) => void events.push(event);
    return Turn.begin({ home, ...ids, cwd: user.root, request, onEvent, ...more });
  };
  return { home, events, begin };
}

test('sessions that name the same worktree share it, also if they begin at the same time', async () => {
  const user = new TestWorld();
  user.commit({ 'src/a': 'a' });
  const { home, begin } = turnsOf(user);
  const [one, two] = await Promise.all([begin(SHARED), begin(SHARED)]);
  expect(one.cwd).toBe(join(user.folder, 'worktrees/app/shared'));
  expect(two.cwd).toBe(one.cwd);
  expect(home.files.list()).toMatchObject([{ workspace_id: 'ws_shared', branch: 'baton/shared' }]);
  await one.end();
  expect(home.files.get('ws_shared').state).toBe('in_use');
  await two.end();
  expect(home.files.get('ws_shared').state).toBe('idle');
  const third = await begin(SHARED, { cwd: join(user.root, 'src') });
  expect(third.cwd).toBe(join(one.cwd, 'src'));
  await third.end();
});

test('a worktree whose creation crashed is made again under its id', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  await crashAt(user, { operation: 'create', step: 'registered' });
  const [half] = user.files.list();
  const workspace_id = half?.workspace_id ?? '';
  const { home, begin } = turnsOf(user);
  const turn = await begin({ kind: 'worktree', workspace_id, name: 'again' });
  expect(readFileSync(join(turn.cwd, 'a'), 'utf8')).toBe('a');
  expect(home.files.list()).toMatchObject([{ workspace_id, state: 'in_use' }]);
  await turn.end();
});

test('ignored files of the setup are no work that a removal loses, until somebody changes them', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a', '.gitignore': 'made\nown\n' });
  const { home, begin } = turnsOf(user);
  const projects = { [user.root]: { workspace: { setup: 'echo made > made' } } };
  const settings = { path: 'config.json', projects, trusted: [], untrusted: [] };
  const turn = await begin(SHARED, { user: settings });
  await turn.end();
  const losses = async () => (await removalCheck(home, 'ws_shared')).losses;
  expect(await losses()).toEqual([]);
  user.write({ own: 'o' }, turn.cwd);
  expect(await losses()).toMatchObject([{ kind: 'ignored', count: 1 }]);
  user.write({ made: 'changed' }, turn.cwd);
  expect(await losses()).toMatchObject([{ kind: 'ignored', count: 2 }]);
});

test('a worktree of another repository is refused', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  const other = new TestRepository({ name: 'other' });
  other.commit({ b: 'b' });
  const { begin } = turnsOf(user);
  await (await begin(SHARED)).end();
  await expect(begin(SHARED, { cwd: other.root })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('is a worktree of another repository'),
  });
});

test('a removed worktree is not made again', async () => {
  const user = new TestWorld();
  user.commit({ a: 'a' });
  const { home, begin } = turnsOf(user);
  await (await begin(SHARED)).end();
  await removeWorktree({ git: home.git, files: home.files, id: 'ws_shared' });
  await expect(begin(SHARED)).rejects.toMatchObject({
    code: 'cwd_missing',
    hint: expect.stringContaining('baton workspaces restore ws_shared'),
  });
});

test('a session is known in its folder while its turn lasts', async () => {
  const user = new TestWorld();
  user.commit({ 'src/a': 'a' });
  const { begin } = turnsOf(user);
  const sessions = new FolderSessions({ stateFolder: user.state });
  const turn = await begin();
  expect(sessions.in(join(user.root, 'src'))).toMatchObject([{ session_id: 'session-1' }]);
  const apart = await begin({ kind: 'worktree', name: 'apart' });
  expect(sessions.in(user.root)).toHaveLength(1);
  await turn.end();
  expect(sessions.in(user.root)).toEqual([]);
  await apart.end();
});

test('a session whose files cannot be kept says why, until they can', async () => {
  const user = new TestRepository();
  user.commit({ a: 'a' });
  const { events, begin } = turnsOf(user);
  const workspaces = () =>
    events.flatMap((event) => (event.type === 'workspace.updated' ? [event.workspace] : []));
  const turn = await begin(undefined, { ownFolders: [join(user.root, 'daemon')] });
  await turn.end();
  expect(workspaces()).toMatchObject([
    { kind: 'in_place', problem: expect.stringContaining('contains the data of Baton') },
  ]);
  const folder = join(user.state, 'repositories');
  writeFileSync(folder, 'no folder');
  const [workspace] = workspaces();
  await (await begin(undefined, { workspace })).end();
  expect(workspaces().at(-1)?.problem).toContain('The files of this session are not compared: ');
  rmSync(folder);
  await (await begin(undefined, { workspace: workspaces().at(-1) })).end();
  expect(workspaces().map(({ problem }) => problem)).toEqual([
    ...[expect.any(String), expect.any(String), null],
  ]);
});

test('a folder without Git has sessions of its own', async () => {
  const user = new TestRepository({ isGit: false });
  mkdirSync(join(user.root, 'inner'));
  const { begin } = turnsOf(user);
  const sessions = new FolderSessions({ stateFolder: user.state });
  const turn = await begin();
  expect(sessions.in(user.root)).toHaveLength(1);
  expect(sessions.in(join(user.root, 'inner'))).toEqual([]);
  await turn.end();
});

test('a new session that changes nothing starts git for its two snapshots only', async () => {
  const user = new TestRepository();
  user.commit({ a: 'a' });
  const { home, begin } = turnsOf(user);
  await (await begin()).end();
  const called: string[] = [];
  const run = home.git.run.bind(home.git);
  vi.spyOn(home.git, 'run').mockImplementation((args, call) => {
    called.push(args[0] ?? '');
    return run(args, call);
  });
  await (await begin(undefined, { isNew: true })).end();
  expect(called.sort()).toEqual(['diff-files', 'diff-files', 'ls-files', 'ls-files']);
});

test('the files are kept while the agent is being started', async () => {
  const user = new TestRepository();
  user.commit({ a: 'a' });
  const { home, events } = turnsOf(user);
  const onEvent = (event: WorkspaceEvent) => void events.push(event);
  const ids = { sessionId: 's', taskId: 't' };
  const turn = await Turn.enter({ home, ...ids, isNew: true, cwd: user.root, onEvent });
  expect(events).toEqual([]);
  await turn.begun;
  const types = () => events.map(({ type }) => type);
  expect(types()).toEqual(['workspace.updated', 'checkpoint.created']);
  user.write({ a: 'b' });
  await turn.end();
  expect(types().slice(2)).toEqual(['checkpoint.created', 'changes.updated']);
});
