import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { FinishRequest } from '@baton/protocol/values';
import { afterEach, expect, inject, test, vi } from 'vitest';
import { pushing } from '../testing/pushing.ts';
import { finish, planFinish } from './finish.ts';

const HAS_GH = inject('hasGh');
const NO_GH = 'gh is not installed';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A world with work to push, and the calls that finish it. */
async function world() {
  const made = await pushing();
  const { home, path } = made;
  return {
    ...made,
    plan: (request: FinishRequest) => planFinish(home, path, request),
    finish: (request: FinishRequest) => finish(home, path, request),
  };
}

/** Makes a folder with git alone the PATH. */
function onlyGit(folder: string): void {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync('/usr/bin/git', join(bin, 'git'));
  vi.stubEnv('PATH', bin);
}

test('a push commits what is not committed, and sets the upstream of the branch', async () => {
  const { plan, finish, user, path, bare } = await world();
  const { sentence } = await plan({ action: 'push' });
  expect(sentence).toMatch(
    /^Commits 1 file \(\+1 −0\) on baton\/fix-the-login as Ada <ada@localhost>: "Fix the login"\. Pushes baton\/fix-the-login of .* to origin \(http:\/\/github\.localhost\/ada\/app\.git\)\.$/,
  );
  const done = await finish({ action: 'push', message: 'Add b' });
  expect(done).toMatchObject({
    pushed: { remote: 'origin', branch: 'baton/fix-the-login' },
    pull_request: null,
    committed: bare('rev-parse', 'baton/fix-the-login'),
  });
  expect(bare('log', '--format=%s|%an', '-1', 'baton/fix-the-login')).toBe('Add b|Ada');
  expect(user.runIn(path, 'rev-parse', '--abbrev-ref', '@{upstream}')).toBe(
    'origin/baton/fix-the-login',
  );
  expect((await finish({ action: 'push' })).committed).toBeNull();
});

test('a push to a branch with other work is refused, and says what to do', async () => {
  const { finish, user, path, bare } = await world();
  await finish({ action: 'push' });
  const other = bare('commit-tree', '-m', 'other', '-p', 'main', 'main^{tree}');
  bare('update-ref', 'refs/heads/baton/fix-the-login', other);
  user.write({ c: 'c' }, path);
  await expect(finish({ action: 'push' })).rejects.toMatchObject({
    code: 'conflict',
    message: 'origin has work on baton/fix-the-login that is not here.',
    hint: expect.stringContaining('git pull --rebase origin baton/fix-the-login'),
  });
  expect(bare('rev-parse', 'baton/fix-the-login')).toBe(other);
});

test('a pre-push hook that fails stops the push, and its output is in the error', async () => {
  const { plan, finish, user, bare } = await world();
  user.write({ '.git/hooks/pre-push': '#!/bin/sh\necho "No pushes today." >&2\nexit 1\n' });
  chmodSync(join(user.root, '.git/hooks/pre-push'), 0o755);
  expect((await plan({ action: 'push' })).sentence).toContain('Runs 1 hook: pre-push.');
  await expect(finish({ action: 'push' })).rejects.toMatchObject({
    code: 'git_failed',
    message: 'The pre-push hook stopped the push: No pushes today.',
    hint: expect.stringContaining('The work is committed on baton/fix-the-login.'),
  });
  expect(bare('branch', '--list', 'baton/*')).toBe('');
});

test('a rule of the server that refuses a push is told', async () => {
  const { finish, user, forge } = await world();
  const hook = '#!/bin/sh\necho "This branch is protected."\nexit 1\n';
  user.write({ 'hooks/pre-receive': hook }, forge.repository);
  chmodSync(join(forge.repository, 'hooks/pre-receive'), 0o755);
  await expect(finish({ action: 'push' })).rejects.toMatchObject({
    message: expect.stringMatching(/^origin refused the push of .*This branch is protected\./s),
  });
});

test('a place without a remote, with several, or without a branch is refused', async () => {
  const { plan, user, path } = await world();
  user.run('remote', 'rename', 'origin', 'one');
  user.run('remote', 'add', 'two', user.root);
  await expect(plan({ action: 'push' })).rejects.toMatchObject({ code: 'usage' });
  expect((await plan({ action: 'push', remote: 'two' })).push?.url).toBe(user.root);
  await expect(plan({ action: 'push', remote: 'three' })).rejects.toMatchObject({
    hint: 'It has one, two.',
  });
  user.run('config', 'branch.baton/fix-the-login.pushRemote', 'two');
  expect((await plan({ action: 'push' })).push?.remote).toBe('two');
  user.run('remote', 'remove', 'one');
  user.run('remote', 'remove', 'two');
  await expect(plan({ action: 'push' })).rejects.toMatchObject({
    message: `${path} has no remote to push to.`,
  });
  user.runIn(path, 'switch', '--quiet', '--detach');
  await expect(plan({ action: 'push' })).rejects.toMatchObject({ code: 'conflict' });
});

test('a pull request is made once, and recorded', async ({ skip }) => {
  skip(!HAS_GH, NO_GH);
  const { plan, finish, forge, home, record, user, path } = await world();
  const request = {
    action: 'pr',
    ...{ title: 'Fix it', body: 'Text', draft: true, labels: ['agents'], reviewers: ['grace'] },
  } as const;
  expect((await plan(request)).sentence).toContain(
    'Makes the draft pull request "Fix it" into main with the label agents for review by grace, unless the branch has an open one.',
  );
  expect(forge.calls).toEqual([]);
  const done = await finish(request);
  const url = 'http://github.localhost/ada/app/pull/12';
  expect(done.pull_request).toEqual({ url, number: 12, is_new: true });
  expect(forge.pulls).toMatchObject([
    {
      ...{ title: 'Fix it', body: 'Text', head: 'baton/fix-the-login', base: 'main' },
      ...{ isDraft: true, labels: ['label-of-agents'], reviewers: ['user-grace'] },
    },
  ]);
  expect(home.files.get(record.workspace_id).pull_request).toEqual({ url, number: 12 });
  user.write({ c: 'c' }, path);
  const again = await finish({ action: 'pr' });
  expect(again.pull_request).toEqual({ url, number: 12, is_new: false });
  expect(again.pushed).not.toBeNull();
  expect(forge.pulls).toHaveLength(1);
});

test('a pull request whose answer is lost is found, and not made again', async ({ skip }) => {
  skip(!HAS_GH, NO_GH);
  const { finish, forge } = await world();
  forge.trouble = 'lost-answer';
  expect((await finish({ action: 'pr' })).pull_request).toMatchObject({ number: 12, is_new: true });
  expect(forge.pulls).toHaveLength(1);
});

test('a pull request that did not get its labels says so', async ({ skip }) => {
  skip(!HAS_GH, NO_GH);
  const { finish, forge } = await world();
  forge.trouble = 'no-labels';
  const done = await finish({ action: 'pr', labels: ['agents'] });
  expect(done.pull_request).toMatchObject({
    number: 12,
    problem: expect.stringContaining('gh failed'),
  });
});

test('a pull request lists its commits, for a base with another name', async ({ skip }) => {
  skip(!HAS_GH, NO_GH);
  const { finish, forge, user, path, bare } = await world();
  bare('branch', 'release/1', 'main');
  user.runIn(path, 'add', '.');
  user.runIn(path, 'commit', '-qm', 'One');
  user.write({ c: 'c' }, path);
  user.runIn(path, 'add', '.');
  user.runIn(path, 'commit', '-qm', 'Two');
  await finish({ action: 'pr', into: 'origin/release/1' });
  expect(forge.pulls).toMatchObject([
    { base: 'release/1', title: 'Fix the login', body: '- One\n- Two' },
  ]);
});

test('a base that the remote does not have is told before anything happens', async () => {
  const { finish, user, path, bare } = await world();
  await expect(finish({ action: 'pr', into: 'nowhere' })).rejects.toMatchObject({
    code: 'not_found',
    message: 'origin has no branch "nowhere".',
  });
  expect(bare('branch', '--list', 'baton/*')).toBe('');
  expect(user.runIn(path, 'status', '--porcelain')).toBe('?? b');
});

test('settings of the user are the defaults of a pull request', async () => {
  const { home, path, user } = await pushing();
  const workspace = { pullRequest: { draft: true, labels: ['agents'], reviewers: ['grace'] } };
  const projects = { [user.root]: { workspace } };
  const own = { path: '/config.json', projects, trusted: [], untrusted: [] };
  const request: FinishRequest = { action: 'pr', labels: ['own'] };
  expect((await planFinish(home, path, request, { user: own })).pr).toMatchObject({
    ...{ draft: true, labels: ['own'], reviewers: ['grace'] },
  });
});

test('without changes there is no pull request', async () => {
  const { plan, finish, user, path } = await world();
  user.runIn(path, 'clean', '-qf');
  expect(await plan({ action: 'pr' })).toMatchObject({
    is_possible: false,
    sentence: 'main already has everything that is in baton/fix-the-login.',
  });
  expect(await finish({ action: 'pr' })).toMatchObject({ pushed: null, pull_request: null });
});

test.for([
  ['rate-limit', 'rate_limited'],
  ['bad-token', 'auth_missing'],
] as const)(
  'a forge that answers with %s is an error after the push',
  async ([trouble, code], { skip }) => {
    skip(!HAS_GH, NO_GH);
    const { finish, forge, bare } = await world();
    forge.trouble = trouble;
    await expect(finish({ action: 'pr' })).rejects.toMatchObject({
      code,
      hint: expect.stringMatching(
        /baton\/fix-the-login is pushed to origin\..*compare\/main\.\.\./,
      ),
    });
    expect(bare('branch', '--list', 'baton/*')).not.toBe('');
    expect(forge.pulls).toEqual([]);
  },
);

test.each(['signed out', 'without gh'])(
  '%s, the branch is pushed and a page is named',
  async (how) => {
    const { plan, finish, user, bare } = await world();
    if (how === 'signed out') vi.stubEnv('GH_TOKEN', undefined);
    else onlyGit(user.folder);
    const page = 'http://github.localhost/ada/app/compare/main...baton/fix-the-login?expand=1';
    expect((await plan({ action: 'pr' })).pr).toMatchObject({ program: null, open_url: page });
    expect(await finish({ action: 'pr' })).toMatchObject({
      pushed: { remote: 'origin' },
      pull_request: null,
    });
    expect(bare('branch', '--list', 'baton/*')).not.toBe('');
  },
);

test('a server that is not known gets only the push', async () => {
  const { finish, user, forge } = await world();
  user.run('remote', 'set-url', 'origin', forge.repository);
  const done = await finish({ action: 'pr' });
  expect(done).toMatchObject({ pull_request: null, pr: { program: null, open_url: null } });
  expect(done.sentence).toContain('Makes no pull request');
});

test('a program in the workspace is never used', async () => {
  const { plan, user, path } = await world();
  user.write({ 'bin/gh': '#!/bin/sh\necho token\n' }, path);
  chmodSync(join(path, 'bin/gh'), 0o755);
  onlyGit(user.folder);
  vi.stubEnv('PATH', `${join(path, 'bin')}:${process.env.PATH}`);
  expect((await plan({ action: 'pr' })).pr?.program).toBeNull();
});
