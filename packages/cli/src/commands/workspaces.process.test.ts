import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { repository } from '../testing/repository.ts';

const CHANGE = [{ shell: 'echo two >> a.txt; echo new > b.txt' }, { say: 'Done.' }];

test('a run is shown by diff and taken back by undo, without a daemon', async () => {
  const { cwd, baton, agent, git } = repository();
  expect(await agent(CHANGE)).toMatchObject({ code: 0, stdout: 'Done.' });
  expect((await baton('diff', '--stat')).stdout).toBe(
    'M  a.txt  +1 −0\nA  b.txt  +1 −0\n2 files changed, +2 −0\n',
  );
  const { stdout } = await baton('diff', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    total: 2,
    files: [{ path: 'a.txt' }, { path: 'b.txt' }],
  });
  expect((await baton('diff')).stdout).toContain('@@ -1 +1,2 @@\n one\n+two\n');
  writeFileSync(join(cwd, 'mine.txt'), 'mine\n');
  expect((await baton('undo', '--dry-run')).stdout).toContain('2 files changed');
  expect(existsSync(join(cwd, 'b.txt'))).toBe(true);
  expect((await baton('undo')).stdout).toContain('Take it back with "baton undo 3"');
  expect(git('status', '--porcelain')).toBe('?? mine.txt');
  await baton('undo', '3');
  expect(readFileSync(join(cwd, 'b.txt'), 'utf8')).toBe('new\n');
  await baton('undo', '1', '--file', 'a.txt');
  expect(git('status', '--porcelain')).toBe('?? b.txt\n?? mine.txt');
});

test('undo keeps what a person wrote into a file after the turn, unless the file is named', async () => {
  const { cwd, agent, baton } = repository();
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
  await agent([...CHANGE, { shell: 'echo c > c.txt' }]);
  writeFileSync(join(cwd, 'a.txt'), `${read('a.txt')}mine\n`);
  writeFileSync(join(cwd, 'b.txt'), 'new\nmine\n');
  const first = await baton('undo');
  expect(first.stdout).toContain('Kept, because somebody changed it after the turn: a.txt, b.txt.');
  expect([read('a.txt'), read('b.txt')]).toEqual(['one\ntwo\nmine\n', 'new\nmine\n']);
  expect(existsSync(join(cwd, 'c.txt'))).toBe(false);
  await agent([{ shell: 'echo three >> a.txt' }]);
  expect(JSON.parse((await baton('undo', '--json')).stdout)).toMatchObject({ total: 1, kept: [] });
  expect(read('a.txt')).toBe('one\ntwo\nmine\n');
  await baton('undo', '--file', 'a.txt', '1');
  expect(read('a.txt')).toBe('one\n');
});

test('undo waits for no agent: it is refused while one works in the folder', async () => {
  const { cwd, world, agent } = repository();
  await agent(CHANGE);
  const steps = [{ say: 'Hello.' }, { stall: true }];
  const working = world.start({
    args: ['run', '--json', '--in-place', `demo:script ${JSON.stringify(steps)}`],
  });
  working.stdin.end();
  const ended = once(working, 'close');
  const started = Promise.withResolvers<void>();
  working.stdout.on('data', (chunk) => String(chunk).includes('Hello.') && started.resolve());
  await started.promise;
  const undo = world.start({ args: ['undo'] });
  const [said, [code]] = await Promise.all([text(undo.stderr), once(undo, 'close')]);
  expect(said).toContain('An agent is still working in');
  expect(code).toBe(1);
  expect(existsSync(join(cwd, 'b.txt'))).toBe(true);
  working.kill('SIGINT');
  await ended;
});

test('a run in a worktree leaves the folder alone, and its work is not removed unless forced', async () => {
  const { git, baton, agent, path } = repository();
  const run = await agent(CHANGE, '--worktree=fix');
  expect(run).toMatchObject({ code: 0, stdout: 'Done.' });
  expect(run.stderr).toContain(`Working in ${path}/fix on branch baton/fix, from main.`);
  expect(run.stderr).toContain(
    '2 files changed, +2 −0. Show it with "baton diff fix --base".\nFinish it with "baton finish merge fix".\n',
  );
  expect(git('status', '--porcelain')).toBe('');
  expect((await baton('workspaces')).stdout).toMatch(/baton\/fix +main +idle +\+2 −0/);
  expect((await baton('workspaces', 'path', 'fix')).stdout).toBe(`${path}/fix\n`);
  expect((await baton('diff', 'fix', '--stat')).stdout).toContain('2 files changed');
  expect((await baton('workspaces', 'clean')).stdout).toContain('Nothing to remove.');
  const refused = await baton('workspaces', 'remove', 'fix');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('2 files with uncommitted changes');
  expect((await baton('workspaces', 'remove', 'fix', '--force')).code).toBe(0);
  expect(existsSync(join(path, 'fix'))).toBe(false);
  expect((await baton('workspaces')).stdout).toContain('No workspaces.');
  expect((await baton('diff', 'fix')).stderr).toContain('baton workspaces restore fix');
  expect((await baton('workspaces', 'restore', 'fix')).code).toBe(0);
  expect(readFileSync(join(path, 'fix/b.txt'), 'utf8')).toBe('new\n');
  expect(git('branch', '--list', 'baton/*')).toContain('baton/fix');
});

test('uncommitted changes and another base can be taken along', async () => {
  const { cwd, git, agent, baton, path } = repository();
  git('branch', 'older');
  writeFileSync(join(cwd, 'a.txt'), 'uncommitted\n');
  const write = [{ write: { path: 'w.txt', content: 'w' } }];
  await agent(write, '--worktree=with', '--with-changes');
  expect(readFileSync(join(path, 'with/a.txt'), 'utf8')).toBe('uncommitted\n');
  // The size that a run tells has these changes too.
  expect((await baton('diff', 'with', '--base', '--stat')).stdout).toContain('2 files changed');
  await agent(write, '--worktree=without', '--base', 'older');
  expect(readFileSync(join(path, 'without/a.txt'), 'utf8')).toBe('one\n');
});

test.each([
  [['run', '--worktree', '--in-place', 'Hi'], '--worktree and --in-place cannot be combined'],
  [['run', '--base', 'main', 'Hi'], '--base requires --worktree'],
  [['workspaces', 'explode'], 'Unknown subcommand "workspaces explode"'],
  [['workspaces', 'remove'], '"workspaces remove" needs a name'],
  [['workspaces', '--stale=soon'], '--stale must be a number of days'],
  [['undo', 'abc'], '"abc" is neither the number of a checkpoint'],
  [['undo', '--file', '../x', '1'], 'has no checkpoint 1'],
])('%j is refused with a reason', async (args, words) => {
  const { baton } = repository();
  const { code, stderr } = await baton(...args);
  expect(code).toBeGreaterThan(0);
  expect(stderr).toContain(words);
});

test('a folder in which no agent has worked says so', async () => {
  const { baton } = repository();
  expect((await baton('diff')).stderr).toContain('No agent has worked in');
  expect((await baton('undo')).stderr).toContain('No turn to undo in');
  expect((await baton('undo', '--list')).stdout).toBe('No checkpoints.\n');
});

test('a worktree is opened in the editor of the user', async () => {
  const { world, baton, agent, path } = repository();
  await agent([{ say: 'Done.' }], '--worktree=fix');
  const editor = join(world.home, 'my editor');
  writeFileSync(editor, '#!/bin/sh\necho "$@"; pwd; exit 3\n');
  chmodSync(editor, 0o755);
  const open = (env: Record<string, string>) =>
    world.call({ args: ['workspaces', 'open', 'fix'], env });
  const stdout = `-w ${path}/fix\n${path}/fix\n`;
  expect(await open({ EDITOR: 'unused', VISUAL: `'${editor}' -w` })).toMatchObject({
    code: 3,
    stdout,
  });
  expect(await open({ EDITOR: `'${editor}' -w` })).toMatchObject({ code: 3, stdout });
  expect((await open({})).stderr).toContain('Set VISUAL or EDITOR');
  expect((await open({ EDITOR: 'no-such-editor' })).stderr).toContain(
    'no-such-editor cannot be started',
  );
  await baton('workspaces', 'remove', 'fix');
  expect((await open({ EDITOR: 'true' })).stderr).toContain('baton workspaces restore ws_');
});

/** Starts an agent that works in the folder until its process is ended. */
async function workingAgent({ world }: ReturnType<typeof repository>) {
  const prompt = 'demo:script [{"say": "Working."}, {"stall": true}]';
  const child = world.start({ args: ['run', '--json', '-p', 'allow-all', prompt] });
  await new Promise<void>((resolve) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk;
      if (text.includes('Working.')) resolve();
    });
  });
  return async () => {
    const ended = once(child, 'close');
    child.kill('SIGINT');
    await ended;
  };
}

test('a second session in place is announced, and asked about at a terminal', async () => {
  const project = repository();
  const { world, path } = project;
  const stop = await workingAgent(project);
  const args = (...flags: string[]) => [
    'run',
    '-p',
    'allow-all',
    ...flags,
    'demo:script [{"say": "Hi."}]',
  ];
  const output = async (...flags: string[]) => {
    const child = world.start({ args: args(...flags) });
    child.stdin.end();
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk;
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    return text;
  };
  const words = 'warning: Another session works in this folder. Use --worktree';
  expect((await output()).split(words)).toHaveLength(2);
  expect(await output('--in-place')).toContain(words);
  expect(await output('--worktree=apart')).not.toContain('Another session');
  const env = { NO_COLOR: '1' };
  const asked = world.terminal({ args: args(), env });
  await asked.until('[w] in a new worktree (Enter)');
  asked.type('\r');
  await asked.until('project/demo-script-say-hi');
  await asked.until('Hi.');
  const here = world.terminal({ args: args(), env });
  await here.until('Another session works in this folder. Where should the agent work?');
  await here.until('[i] in this folder');
  here.type('i');
  await here.until('Hi.');
  await stop();
  await asked.closed();
  expect((await here.end()).output).not.toContain('Working in');
  expect(existsSync(join(path, 'apart'))).toBe(true);
  expect(await output()).not.toContain('Another session');
});

test('diff and undo say what they leave out: submodules and nested repositories', async () => {
  const { world, cwd, git, agent, baton } = repository();
  const part = join(world.home, 'part');
  git('clone', '--quiet', cwd, part);
  git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', part, 'part');
  git('commit', '--quiet', '-m', 'part');
  const commit = 'git -c user.name=U -c user.email=u@localhost commit --quiet -a -m work';
  await agent([{ shell: 'echo edited >> part/a.txt' }]);
  expect(await baton('diff')).toMatchObject({
    stdout: 'No changes.\n',
    stderr: 'warning: Nested repositories, which are not looked into: part/\n',
  });
  await agent([{ shell: `echo x > x.txt; cd part; ${commit}` }]);
  expect((await baton('diff', '--stat')).stdout).toContain('M  part');
  const undone = await baton('undo');
  expect(undone.stdout).toContain(
    'Submodules keep their present commit: part.\nRestored:\nD  x.txt',
  );
  expect(git('status', '--porcelain')).toBe(' M part');
  expect((await baton('undo', '1')).stdout).toBe('Submodules keep their present commit: part.\n');
});

test('a command in a folder that is gone says so', async () => {
  const { world } = repository();
  const script = 'mkdir gone; cd gone; rmdir "$PWD"; baton workspaces';
  const { code, stderr } = await world.finish(world.shell(script));
  expect(code).toBeGreaterThan(0);
  expect(stderr).toContain('The current folder no longer exists.');
});

test('--in-place wins over the setting of a project', async () => {
  const { world, agent, cwd, path } = repository();
  const config = { projects: { [cwd]: { workspace: { default: 'worktree' } } } };
  writeFileSync(join(world.home, '.baton/config.json'), JSON.stringify(config), { mode: 0o600 });
  const write = [{ write: { path: 'w.txt', content: 'w' } }];
  await agent(write, '--in-place');
  expect(existsSync(join(cwd, 'w.txt'))).toBe(true);
  expect(existsSync(path)).toBe(false);
});

test('the place of a new worktree does not make the settings of its repository trusted', async () => {
  const { cwd, world, baton, git } = repository();
  const mark = join(world.home, 'started');
  writeFileSync(join(cwd, '.baton-demo.json'), JSON.stringify({ onStart: `touch '${mark}'` }));
  git('add', '-A');
  git('commit', '--quiet', '-m', 'settings');
  const run = (name: string) =>
    baton(
      'run',
      '--backend',
      'demo',
      '--worktree',
      name,
      '--permission-mode',
      'allow-all',
      'demo:fail',
    );
  await baton('trust', world.home);
  await baton('trust', '--no', cwd);
  await run('first');
  expect(existsSync(mark)).toBe(false);
  await baton('trust', cwd);
  await run('second');
  expect(existsSync(mark)).toBe(true);
});
