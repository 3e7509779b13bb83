import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, inject, test } from 'vitest';
import { FakeGitHub } from '../../../workspaces/src/testing/fake-github.ts';
import { repository } from '../testing/repository.ts';

const CHANGE = [{ shell: 'echo two >> a.txt; echo new > b.txt' }, { say: 'Done.' }];

/** A repository of somebody whom Git knows, with a worktree in which an agent has worked. */
async function finished() {
  const made = repository();
  made.git('config', 'user.name', 'Ada');
  made.git('config', 'user.email', 'ada@localhost');
  await made.agent(CHANGE, '--worktree=fix-login');
  return { ...made, tree: join(made.path, 'fix-login') };
}

test('a merge says what it will do, does it, and leaves a worktree that can go', async () => {
  const { cwd, baton, git, tree } = await finished();
  const plan = await baton('finish', 'merge', 'fix-login', '--dry-run');
  expect(plan.stdout).toMatch(
    /^Commits 2 files \(\+2 −0\) on baton\/fix-login as Ada <ada@localhost>: "Fix login"\. Merges baton\/fix-login \(1 commit\) into main as one commit, "Fix login",/,
  );
  expect(git('status', '--porcelain')).toBe('');
  const refused = await baton('finish', 'merge', 'fix-login');
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('Not done without --yes');
  const done = await baton('finish', 'merge', 'fix-login', '--yes', '-m', 'Count');
  expect(done.stdout).toMatch(/^Merged into main, which is at [0-9a-f]{10} now\.\n/);
  expect(git('log', '--format=%s|%an')).toBe('Count|Ada\nfirst|U');
  expect(readFileSync(join(cwd, 'b.txt'), 'utf8')).toBe('new\n');
  expect((await baton('workspaces')).stdout).toContain('merged');
  expect((await baton('workspaces', 'clean', '--stale=0')).code).toBe(0);
  expect(existsSync(tree)).toBe(false);
});

test('commit and merge print their plans and results as JSON', async () => {
  const { baton, git } = await finished();
  const json = async (...args: string[]) => JSON.parse((await baton('finish', ...args)).stdout);
  expect(await json('commit', 'fix-login', '--dry-run', '--json')).toMatchObject({
    dry_run: true,
    message: 'Fix login',
    commit: { branch: 'baton/fix-login', files: 2, additions: 2, hooks: [] },
  });
  const done = await json('commit', 'fix-login', '--yes', '--json', '--file', 'b.txt');
  expect(git('show', '--name-only', '--format=', done.committed)).toBe('b.txt');
  const merged = await json('merge', 'fix-login', '--yes', '--json', '--method=rebase');
  expect(merged.merged).toMatchObject({ target: 'main', commit: git('rev-parse', 'main') });
  expect(await json('commit', 'fix-login', '--yes', '--json')).toMatchObject({
    done: false,
    is_possible: false,
  });
});

test('a pull request says what it will do, is made, and is listed with its worktree', async ({
  skip,
}) => {
  skip(!inject('hasGh'), 'gh is not installed');
  const { world, baton, git } = await finished();
  const forge = await FakeGitHub.start();
  forge.serve(git);
  const call = (...args: string[]) => world.call({ args, env: forge.env });
  const wish = ['finish', 'pr', 'fix-login', '--title', 'Fix it', '-m', 'Text', '--draft'];
  const plan = await call(...wish, '--dry-run');
  expect(plan.stdout).toMatch(
    /^Commits 2 files .*: "Fix it"\. Pushes baton\/fix-login of .*fix-login to origin \(http:\/\/github\.localhost\/ada\/app\.git\)\. Makes the draft pull request "Fix it" into main, unless the branch has an open one\.\n$/,
  );
  expect((await baton('workspaces')).stdout).not.toContain('PR');
  const url = 'http://github.localhost/ada/app/pull/12';
  const done = await call(...wish, '--yes');
  expect(done).toMatchObject({
    code: 0,
    stdout: `Pushed baton/fix-login to origin. Made pull request #12: ${url}\n`,
  });
  expect(forge.pulls).toMatchObject([{ title: 'Fix it', body: 'Text', isDraft: true }]);
  expect((await baton('workspaces')).stdout).toMatch(/BRANCH +PR +BASE.*\n.*fix-login +#12 +main/);
  expect(JSON.parse((await baton('workspaces', '--json')).stdout)).toMatchObject([
    { pull_request: { url, number: 12 } },
  ]);
  expect((await call('finish', 'pr', 'fix-login', '--yes')).stdout).toBe(
    `Pushed baton/fix-login to origin. Its open pull request #12 has the work: ${url}\n`,
  );
});

test('without gh, a branch is pushed and the page for its pull request is printed', async () => {
  const { world, git } = await finished();
  const forge = await FakeGitHub.start();
  forge.serve(git);
  const env = { ...forge.env, GH_TOKEN: '' };
  const pushed = await world.call({ args: ['finish', 'push', 'fix-login', '--yes'], env });
  expect(pushed.stdout).toBe('Pushed baton/fix-login to origin.\n');
  const { stdout } = await world.call({ args: ['finish', 'pr', 'fix-login', '--yes'], env });
  expect(stdout).toBe(
    'Pushed baton/fix-login to origin. Make the pull request here: http://github.localhost/ada/app/compare/main...baton/fix-login?expand=1\n',
  );
});

test('a patch can be applied elsewhere', async () => {
  const { cwd, baton, tree } = await finished();
  writeFileSync(join(tree, 'image'), Buffer.from([0, 1, 2, 0]));
  await baton('finish', 'patch', 'fix-login', '-o', 'change.patch');
  const { stdout } = await baton('finish', 'patch', 'fix-login');
  expect(stdout).toBe(readFileSync(join(cwd, 'change.patch'), 'utf8'));
  execFileSync('git', ['apply', 'change.patch'], { cwd });
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  expect(readFileSync(join(cwd, 'image'))).toEqual(Buffer.from([0, 1, 2, 0]));
});

test('nothing is discarded while an agent works there', async () => {
  const { world, baton, tree } = await finished();
  const steps = [{ say: 'Hello.' }, { stall: true }];
  const working = world.start({
    args: ['run', '--json', '-C', tree, '--in-place', `demo:script ${JSON.stringify(steps)}`],
  });
  working.stdin.end();
  const ended = once(working, 'close');
  const started = Promise.withResolvers<void>();
  working.stdout.on('data', (chunk) => String(chunk).includes('Hello.') && started.resolve());
  await started.promise;
  const discard = world.start({ args: ['finish', 'discard', 'fix-login', '--yes'] });
  const [said, [code]] = await Promise.all([text(discard.stderr), once(discard, 'close')]);
  expect({ code, said }).toEqual({
    code: 1,
    said: expect.stringContaining(`An agent is still working in ${tree}.`),
  });
  expect(existsSync(tree)).toBe(true);
  working.kill('SIGINT');
  await ended;
  expect((await baton('finish', 'discard', 'fix-login', '--yes')).code).toBe(0);
});

test('discarded work is gone, and can be restored', async () => {
  const { baton, git, tree } = await finished();
  expect((await baton('finish', 'discard', 'fix-login', '--dry-run')).stdout).toContain(
    '2 files with uncommitted changes',
  );
  expect((await baton('finish', 'discard', 'fix-login', '--yes')).stdout).toContain('Restore it');
  expect([existsSync(tree), git('branch', '--list', 'baton/*')]).toEqual([false, '']);
  const gone = await baton('finish', 'merge', 'fix-login', '--yes');
  expect(gone.stderr).toContain('baton workspaces restore');
  expect((await baton('workspaces', 'restore', 'fix-login')).code).toBe(0);
  expect(readFileSync(join(tree, 'b.txt'), 'utf8')).toBe('new\n');
});

test('conflicts are named, and nothing is committed or moved', async () => {
  const { cwd, baton, git, tree } = await finished();
  writeFileSync(join(cwd, 'a.txt'), 'mine\n');
  git('commit', '-qam', 'mine');
  const head = git('rev-parse', 'main', 'baton/fix-login');
  const { code, stderr } = await baton('finish', 'merge', 'fix-login', '--yes');
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Nothing was changed: conflicts with main in a.txt.\n'),
  });
  const json = await baton('finish', 'merge', 'fix-login', '--dry-run', '--json');
  expect({ code: json.code, ...JSON.parse(json.stdout) }).toMatchObject({
    code: 1,
    done: false,
    merge: { conflicts: ['a.txt'] },
  });
  expect(git('rev-parse', 'main', 'baton/fix-login')).toBe(head);
  expect(existsSync(join(tree, 'b.txt'))).toBe(true);
});

test('a train merges several worktrees with a check, and names what it left out', async () => {
  const { agent, baton, git } = await finished();
  await agent([{ shell: 'echo mine > a.txt' }], '--worktree=other');
  await agent([{ shell: 'echo red > red.txt' }], '--worktree=red');
  await agent([{ shell: 'echo c > c.txt' }], '--worktree=last');
  const names = ['fix-login', 'other', 'red', 'last'];
  const args = ['train', ...names, '--check', 'test ! -f red.txt'];
  const plan = await baton('finish', ...args, '--dry-run');
  expect(plan.stdout).toContain(
    'Merges 4 branches into main one after another (squash): fix-login, other, red, last.',
  );
  const { code, stdout } = await baton('finish', ...args, '--yes');
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: expect.stringMatching(
      /^fix-login: merged as [0-9a-f]{10}\nother: not merged: conflicts in a\.txt\nred: not merged: The check exited with 1\.\nlast: merged as [0-9a-f]{10}\n$/,
    ),
  });
  expect(git('log', '--format=%s')).toBe('Last\nFix login\nfirst');
  const again = await baton('finish', 'train', 'fix-login', 'last', '--yes', '--json');
  expect({ code: again.code, ...JSON.parse(again.stdout) }).toMatchObject({
    code: 0,
    done: true,
    entries: [{ state: 'merged' }, { state: 'merged', commit: git('rev-parse', 'main') }],
  });
  expect(git('log', '--format=%s')).toBe('Last\nFix login\nfirst');
});

test('at a terminal it asks; Enter and Ctrl-C change nothing', async () => {
  const { world, git } = await finished();
  for (const [key, code] of [
    ['\r', 1],
    ['\x03', 130],
    ['nope\r', 1],
    ['yes\r', 0],
  ] as const) {
    expect(git('log', '--format=%s')).toBe('first');
    const terminal = world.terminal({ args: ['finish', 'merge', 'fix-login'] });
    await terminal.until('[y/N]');
    terminal.type(key);
    expect((await terminal.end()).code).toBe(code);
  }
  expect(git('log', '--format=%s')).toBe('Fix login\nfirst');
});

test.each([
  [['finish'], 'Say how to finish'],
  [['finish', 'explode'], 'Say how to finish'],
  [['finish', 'merge', 'nobody'], 'nobody'],
  [['finish', 'merge', 'fix-login', '--into', 'nowhere', '--yes'], 'There is no branch "nowhere"'],
  [['finish', 'merge', 'fix-login', '--method', 'octopus'], '--method must be'],
  [['finish', 'merge', 'fix-login', 'other'], 'Pass one name'],
  [['finish', 'train', '--yes'], 'Name the worktrees to merge'],
  [['finish', 'train', 'fix-login', 'fix-login', '--yes'], 'each once'],
  [['finish', 'train', 'fix-login', '-m', 'x', '--yes'], '"finish train" has no --message'],
  [['finish', 'push', 'fix-login', '--yes'], 'has no remote to push to'],
  [['finish', 'pr', 'fix-login', '--title', ' ', '--yes'], 'The title must be one line'],
  [['finish', 'commit', 'fix-login', '--into', 'main'], '"finish commit" has no --into'],
  [['finish', 'commit', 'fix-login', '--file', '../x', '--yes'], 'is not inside of'],
  [['finish', 'discard', '.', '--yes'], 'is not a worktree of Baton'],
  [['finish', 'merge', 'fix-login', '-m', ' ', '--yes'], 'The message is empty'],
  [['finish', 'patch', 'fix-login', '-o', '/nowhere/x.patch'], 'Cannot write /nowhere/x.patch'],
  [['finish', 'patch', 'fix-login', '-o', '.'], 'Cannot write .'],
])('%j is refused with a reason', async (args, words) => {
  const { baton } = await finished();
  const { code, stdout, stderr } = await baton(...args);
  expect({ code, stdout, stderr }).toEqual({
    code: expect.toSatisfy((value) => value > 0),
    stdout: '',
    stderr: expect.stringContaining(words),
  });
});
