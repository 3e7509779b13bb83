import { expect, test } from 'vitest';
import { newPullRequestUrl } from './forge.ts';
import { parseRemoteUrl } from './remote-url.ts';

test.each([
  ['https://github.com/ada/app.git', 'github.com', 'ada/app', 'https://github.com/ada/app'],
  [
    'https://ada:secret@github.com/ada/app?token=secret',
    'github.com',
    'ada/app',
    'https://github.com/ada/app',
  ],
  ['git@github.com:ada/app.git', 'github.com', 'ada/app', 'https://github.com/ada/app'],
  ['github.com:ada/app', 'github.com', 'ada/app', 'https://github.com/ada/app'],
  [
    'ssh://git:secret@ssh.github.com:443/ada/app.git',
    'github.com',
    'ada/app',
    'https://github.com/ada/app',
  ],
  [
    'https://git.localhost:8443/a/b/c.git/',
    'git.localhost',
    'a/b/c',
    'https://git.localhost:8443/a/b/c',
  ],
])('%s names a server and a repository', (text, host, path, web) => {
  const found = parseRemoteUrl(text);
  expect(found).toMatchObject({ host, path, web });
  expect(found.shown).not.toContain('secret');
});

test.each(['/srv/app.git', '../app', 'file:///srv/app.git', 'https://github.com/'])(
  '%s has no page',
  (text) => {
    expect(parseRemoteUrl(text).web).toBeUndefined();
  },
);

test.each([
  ['github', 'https://h.example/ada/app/compare/rel/1...fix/a%23b?expand=1'],
  ['gitea', 'https://h.example/ada/app/compare/rel/1...fix/a%23b'],
  ['bitbucket', 'https://h.example/ada/app/pull-requests/new?source=fix%2Fa%23b&dest=rel%2F1'],
  [
    'gitlab',
    'https://h.example/ada/app/-/merge_requests/new?merge_request%5Bsource_branch%5D=fix%2Fa%23b&merge_request%5Btarget_branch%5D=rel%2F1',
  ],
] as const)('%s has a page for a new pull request', (kind, url) => {
  const to = parseRemoteUrl('git@h.example:ada/app.git');
  const branches = { base: 'rel/1', branch: 'fix/a#b' };
  expect(newPullRequestUrl(kind, { to, from: to, ...branches })).toBe(url);
});

test('the page for work in a fork names its owner', () => {
  const [to, from] = ['ada/app', 'grace/app'].map((path) =>
    parseRemoteUrl(`git@github.com:${path}`),
  );
  if (!to || !from) throw new Error('There are two.');
  expect(newPullRequestUrl('github', { to, base: 'main', from, branch: 'fix' })).toBe(
    'https://github.com/ada/app/compare/main...grace:fix?expand=1',
  );
});
