import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { BatonClient } from '@baton/client';
import { unixAccount } from '@baton/process';
import { FolderSessions } from '@baton/workspaces';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { login, serveIn } from '../packages/cli/src/testing/served.ts';
import { bubblewrapProblem } from '../packages/executor/src/testing/bubblewrap.ts';

const NOT_ROOT =
  process.getuid?.() === 0 ? undefined : 'only root can start programs as another user';
const NO_SANDBOX = await bubblewrapProblem();

// The isolated account must be able to run Baton, which is in a private folder.
beforeAll(() => chmodSync(dirname(inject('baton')), 0o755));

type World = {
  home: string;
  repository: string;
  client: BatonClient;
  /** Runs a script as the agent of a session. */
  run(sessionId: string, shell: string): Promise<string>;
  newSession(more?: object): Promise<string>;
};

async function world(settings: Readonly<Record<string, string>>, home: string): Promise<World> {
  const repository = join(home, 'app');
  const served = await serveIn(join(home, 'state'), 0, [], { HOME: home });
  const client = new BatonClient({ url: served.url, token: await login(served) });
  onTestFinished(() => client.close());
  for (const [name, value] of Object.entries(settings)) {
    await client.connection.call('settings', 'patch', [name, { value }]);
  }
  return {
    home,
    repository,
    client,
    async newSession(more = {}) {
      const session = await client.sessions.create({ cwd: repository, backend: 'demo', ...more });
      return session.session_id;
    },
    async run(sessionId, shell) {
      const { task_id } = await client.sessions.executeTask(sessionId, {
        prompt: `demo:script ${JSON.stringify([{ shell }])}`,
        permission_mode: 'allow-all',
      });
      const { outcome, error } = await (await client.join(task_id)).collect();
      expect({ outcome, error }).toEqual({ outcome: 'done', error: undefined });
      return task_id;
    },
  };
}

/** A repository with two files, made by the user who owns it. */
function makeRepository(repository: string, uid?: number, gid?: number): void {
  mkdirSync(repository);
  if (uid !== undefined && gid !== undefined) execFileSync('chown', [`${uid}:${gid}`, repository]);
  const script = `git init -q -b main && git config user.name U && git config user.email u@localhost
    mkdir d && echo one > a.txt && echo secret-free > d/shadow && git add -A && git commit -qm first`;
  const as = uid === undefined ? {} : { uid, gid: gid ?? uid };
  const env = { PATH: process.env.PATH, HOME: repository };
  execFileSync('/bin/sh', ['-c', script], { cwd: repository, env, ...as });
}

function newHome(): string {
  // Not in the folder for temporary files, which a sandbox hides.
  const home = mkdtempSync('/var/tmp/baton-isolated-');
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }));
  chmodSync(home, 0o755);
  return home;
}

describe('as another user', () => {
  async function asUser() {
    const name = `baton-t${process.pid}`;
    const home = newHome();
    execFileSync('useradd', ['--create-home', '--home-dir', join(home, 'account'), name]);
    onTestFinished(() => {
      execFileSync('userdel', [name]);
    });
    const account = unixAccount(name);
    makeRepository(join(home, 'app'), account.uid, account.gid);
    const settings = { 'executors.isolation': 'user', 'executors.unix_user': name };
    return { ...(await world(settings, home)), account };
  }

  test('checkpoints, changes, worktrees and undo belong to the isolated user', async (context) => {
    if (NOT_ROOT) context.skip(NOT_ROOT);
    const { home, repository, client, run, newSession, account } = await asUser();
    const session_id = await newSession();
    await run(session_id, 'id -un > who.txt; echo two >> a.txt; rm d/shadow');
    expect(readFileSync(join(repository, 'who.txt'), 'utf8').trim()).toBe(account.name);
    const found = await client.changes.find({ session_id });
    expect(found.files.map(({ path }) => path)).toEqual(['a.txt', 'd/shadow', 'who.txt']);
    const { from, to } = found;
    expect((await client.changes.diff({ session_id, from, to })).patch).toContain('+two');
    const contentIn = (tree: string) =>
      client.changes.content({ session_id, tree, path: 'who.txt' });
    const who = Buffer.from(`${account.name}\n`).toString('base64');
    expect(await contentIn(to)).toEqual({ content: who, cut: false });
    expect(await contentIn(from)).toEqual({ content: null, cut: false });
    expect((await client.checkpoints.undo({ session_id })).total).toBe(3);
    expect(statSync(join(repository, 'd/shadow')).uid).toBe(account.uid);
    expect(statSync(join(repository, 'd')).uid).toBe(account.uid);
    expect(readFileSync(join(repository, 'a.txt'), 'utf8')).toBe('one\n');
    const worktree = await newSession({ workspace: { kind: 'worktree', name: 'try' } });
    await run(worktree, 'echo tree >> a.txt; git status --porcelain > status.txt');
    const { cwd, workspace } = await client.sessions.get(worktree);
    expect(cwd).toBe(join(account.home, 'baton-workspaces/app/try'));
    expect(statSync(join(cwd, 'a.txt')).uid).toBe(account.uid);
    const [listed] = await client.workspaces.find();
    expect(listed).toMatchObject({ workspace_id: workspace?.workspace_id, status: { files: 2 } });
    const id = workspace?.workspace_id ?? '';
    await client.workspaces.removeWorktree({ workspace_id: id, force: true });
    expect(existsSync(cwd)).toBe(false);
    await client.workspaces.restore(id);
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\ntree\n');
    expect(statSync(join(cwd, 'a.txt')).uid).toBe(account.uid);
    // Nothing of it is root's, and root's own state has nothing of it.
    const foreign = execFileSync('find', [repository, account.home, '!', '-user', account.name]);
    expect(foreign.toString()).toBe('');
    expect(existsSync(join(home, '.baton/workspaces/repositories'))).toBe(false);
  });

  test('nothing that the isolated user plants is read or written as root', async (context) => {
    if (NOT_ROOT) context.skip(NOT_ROOT);
    const { home, repository, client, run, newSession } = await asUser();
    const vault = join(home, 'vault');
    mkdirSync(join(vault, 'repository/.git/objects'), { recursive: true });
    writeFileSync(join(vault, 'repository/.git/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(vault, 'shadow'), 'root only\n');
    chmodSync(vault, 0o700);
    writeFileSync(join(repository, 'roots.txt'), 'canary of root\n', { mode: 0o600 });
    const session_id = await newSession();
    await run(
      session_id,
      `rm -r d && ln -s ${vault} d && ln -s ${vault}/shadow link.txt && mkfifo pipe && truncate -s 3G sparse`,
    );
    const found = await client.changes.find({ session_id });
    const { patch } = await client.changes.diff({ session_id, from: found.from, to: found.to });
    expect(patch).not.toMatch(/root only|canary/);
    expect(found.gaps.map(({ kind }) => kind).sort()).toEqual(['too_large', 'unreadable']);
    const before = readdirSync(vault);
    // The folder is a link to root's folder until the undo makes a folder of it again.
    await client.checkpoints.undo({ session_id });
    expect(readdirSync(vault)).toEqual(before);
    expect(readFileSync(join(vault, 'shadow'), 'utf8')).toBe('root only\n');
    expect(lstatSync(join(repository, 'd')).isDirectory()).toBe(true);
    await run(session_id, `rm -rf .git && echo 'gitdir: ${vault}/repository/.git' > .git`);
    expect(readdirSync(join(vault, 'repository/.git')).sort()).toEqual(['HEAD', 'objects']);
    await expect(client.workspaces.inspect(join(vault, 'repository'))).rejects.toMatchObject({
      code: expect.stringMatching(/cwd_missing|forbidden/),
    });
  });

  test('an agent that kills the helper ends its task, whose files are then not kept', async (context) => {
    if (NOT_ROOT) context.skip(NOT_ROOT);
    const { client, run, newSession } = await asUser();
    const session_id = await newSession();
    await run(session_id, 'pkill -KILL -f workspace-helper; echo two >> a.txt');
    const transcript = JSON.stringify(await client.transcript.find({ session_id }));
    expect(transcript).toContain('The files of this turn are not kept');
    await run(session_id, 'echo three >> a.txt');
    expect((await client.changes.find({ session_id })).total).toBe(1);
  });

  test('the setup of a worktree runs as the isolated user, with settings that the owner trusts', async (context) => {
    if (NOT_ROOT) context.skip(NOT_ROOT);
    const { home, repository, run, client, newSession, account } = await asUser();
    const workspace = {
      setup: 'id -un > setup.txt; echo "$GREETING" >> setup.txt',
      env: { GREETING: 'hello', LD_DEBUG: 'libs', LD_DEBUG_OUTPUT: join(home, 'app/trace') },
      cache: { key: ['a.txt'], paths: ['setup.txt'] },
    };
    const config = { projects: { [repository]: { workspace } } };
    mkdirSync(join(home, '.baton'), { recursive: true });
    writeFileSync(join(home, '.baton/config.json'), JSON.stringify(config), { mode: 0o600 });
    const worktree = await newSession({ workspace: { kind: 'worktree', name: 'try' } });
    await run(worktree, 'echo "$GREETING $BATON_BRANCH" > agent.txt');
    const { cwd } = await client.sessions.get(worktree);
    expect(readFileSync(join(cwd, 'setup.txt'), 'utf8')).toBe(`${account.name}\nhello\n`);
    expect(readFileSync(join(cwd, 'agent.txt'), 'utf8')).toBe('hello baton/try\n');
    const traces = readdirSync(repository).filter((name) => name.startsWith('trace'));
    expect(traces.length).toBeGreaterThan(0);
    const owners = traces.map((name) => statSync(join(repository, name)).uid);
    expect(new Set(owners)).toEqual(new Set([account.uid]));
  });

  test('a folder that the isolated user may not read stays untouched, with a reason', async (context) => {
    if (NOT_ROOT) context.skip(NOT_ROOT);
    const { home, repository, client, run, newSession } = await asUser();
    const session_id = await newSession();
    await run(session_id, 'echo two >> a.txt');
    const moved = join(home, 'moved');
    execFileSync('mv', [repository, moved]);
    mkdirSync(repository, { mode: 0o700 });
    writeFileSync(join(repository, 'a.txt'), 'of root\n');
    await expect(client.checkpoints.undo({ session_id })).rejects.toMatchObject({
      code: expect.any(String),
    });
    expect(readFileSync(join(repository, 'a.txt'), 'utf8')).toBe('of root\n');
  });
});

describe('in a sandbox', () => {
  test("checkpoints, changes, worktrees and undo work, and the agent cannot write Baton's records", async (context) => {
    if (NO_SANDBOX) context.skip(NO_SANDBOX);
    const home = newHome();
    makeRepository(join(home, 'app'));
    const { repository, client, run, newSession } = await world(
      { 'executors.isolation': 'bubblewrap' },
      home,
    );
    const session_id = await newSession();
    await run(session_id, 'echo two >> a.txt; rm d/shadow');
    const found = await client.changes.find({ session_id });
    expect(found.files.map(({ path }) => path)).toEqual(['a.txt', 'd/shadow']);
    await client.checkpoints.undo({ session_id });
    expect(readFileSync(join(repository, 'd/shadow'), 'utf8')).toBe('secret-free\n');
    const worktree = await newSession({ workspace: { kind: 'worktree', name: 'try' } });
    await run(worktree, `echo tree >> a.txt; echo x > ${home}/.baton/workspaces/mine || true`);
    const { cwd, workspace } = await client.sessions.get(worktree);
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\ntree\n');
    expect(existsSync(join(home, '.baton/workspaces/mine'))).toBe(false);
    expect((await client.workspaces.find())[0]?.status).toMatchObject({ files: 1 });
    const id = workspace?.workspace_id ?? '';
    // Programs outside of the sandbox know that an agent works there.
    const sessions = new FolderSessions({ stateFolder: join(home, '.baton/workspaces') });
    expect(sessions.in(cwd)).toEqual([]);
    const wait = 'echo started > started; until test -e go; do sleep 0.05; done';
    const working = run(worktree, wait);
    await expect.poll(() => existsSync(join(cwd, 'started'))).toBe(true);
    expect(sessions.in(cwd)).toMatchObject([{ session_id: worktree }]);
    expect(await client.workspaces.find()).toMatchObject([{ state: 'in_use' }]);
    writeFileSync(join(cwd, 'go'), '');
    await working;
    expect(sessions.in(cwd)).toEqual([]);
    await client.workspaces.removeWorktree({ workspace_id: id, force: true });
    await client.workspaces.restore(id);
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\ntree\n');
  });
});
