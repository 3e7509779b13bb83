import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { findForge } from './forge.ts';
import { makePullRequest } from './pull-requests.ts';
import { parseRemoteUrl } from './remote-url.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Does what the manual of glab says about these command lines, and writes them down; the first answer is lost. */
const GLAB = `#!/bin/sh
echo "$*" >> "$HOME/calls"
case "$1 $2" in
  "config get") echo token ;;
  "mr create") touch "$HOME/made"; echo "unexpected EOF" >&2; exit 1 ;;
  "mr list")
    test -f "$HOME/made" || { echo '[]'; exit; }
    url=https://git.example/group/sub/app/-/merge_requests
    echo "[{\\"iid\\":8,\\"web_url\\":\\"$url/8\\",\\"target_branch\\":\\"main\\",\\"source_project_id\\":2,\\"target_project_id\\":1},"
    echo "{\\"iid\\":7,\\"web_url\\":\\"$url/7\\",\\"target_branch\\":\\"main\\",\\"source_project_id\\":1,\\"target_project_id\\":1}]"
    ;;
esac
`;

/** A home with a stand-in for glab as the only program of a forge. */
function home() {
  const folder = mkdtempSync(join(tmpdir(), 'baton-glab-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync('/usr/bin/touch', join(bin, 'touch'));
  writeFileSync(join(bin, 'glab'), GLAB, { mode: 0o755 });
  vi.stubEnv('PATH', bin);
  vi.stubEnv('HOME', folder);
  const work = join(folder, 'work');
  mkdirSync(work);
  const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n');
  return { work, calls };
}

test('a merge request is made once with glab, which is signed in to a server of any name', async () => {
  const { work, calls } = home();
  const to = parseRemoteUrl('git@git.example:group/sub/app.git');
  expect(await findForge(to, { folder: work })).toEqual({ kind: 'gitlab', program: 'glab' });
  const wish = {
    ...{ to, from: to, branch: 'fix', base: 'main', title: 'Fix it', body: '- One' },
    ...{ draft: true, labels: ['agents'], reviewers: ['grace'] },
  };
  const url = 'https://git.example/group/sub/app/-/merge_requests/7';
  const made = await makePullRequest('glab', wish, { folder: work });
  expect(made).toEqual({ url, number: 7, is_new: true });
  expect(await makePullRequest('glab', wish, { folder: work })).toEqual({ ...made, is_new: false });
  const list = 'mr list --repo=https://git.example/group/sub/app --source-branch=fix --output=json';
  expect(calls()).toEqual([
    'config get token --host git.example',
    list,
    'mr create --repo=https://git.example/group/sub/app --yes --source-branch=fix --target-branch=main --title=Fix it --description=- One --draft --label=agents --reviewer=grace',
    ...[list, list],
  ]);
});
