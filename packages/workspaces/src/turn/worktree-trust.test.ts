import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepDecision, keptDecisions } from '@baton/config/settings/keep-decision';
import { decisionFor } from '@baton/config/trust/trusted-folders';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type StoredWorkspace, WorkspaceFiles } from '../worktree/workspace-files.ts';
import { decideTrust, trustLike } from './worktree-trust.ts';

/** A repository whose folders have decisions of the user, and the folder of a new worktree. */
function world(decisions: Readonly<Record<string, boolean>>) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'baton-trust-')));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const root = join(home, 'elsewhere/app');
  mkdirSync(join(root, '.git/objects'), { recursive: true });
  writeFileSync(join(root, '.git/HEAD'), '');
  mkdirSync(join(root, 'packages/a'), { recursive: true });
  for (const [path, trusted] of Object.entries(decisions)) {
    keepDecision(join(home, path), trusted, home);
  }
  const worktree = join(home, 'worktrees/app/fix');
  return {
    ...{ home, root, worktree },
    make: (folder = '.') => trustLike(join(root, folder), worktree, home),
    decision: (path = '.') => decisionFor(join(worktree, path), keptDecisions(home)),
  };
}

test('a worktree has the decision about its repository', () => {
  for (const trusted of [true, false]) {
    const { make, decision } = world({ 'elsewhere/app': trusted });
    make('packages/a');
    expect([decision(), decision('packages/a')]).toEqual([trusted, trusted]);
  }
});

test('a worktree has the decisions about folders in its repository, and for these only', () => {
  const { make, decision } = world({ 'elsewhere/app/packages/a': true });
  make('packages/a');
  expect([decision(), decision('packages'), decision('packages/a/src')]).toEqual([
    undefined,
    undefined,
    true,
  ]);
  const other = world({ 'elsewhere/app': true, 'elsewhere/app/packages/a': false });
  other.make();
  expect([other.decision(), other.decision('packages/a')]).toEqual([true, false]);
});

test('a worktree of a repository that nobody trusted is not trusted for its place', () => {
  const { make, decision } = world({ worktrees: true });
  make();
  expect(decision()).toBe(false);
});

test('a worktree is not trusted for an earlier one in its place', () => {
  const { make, decision } = world({
    'worktrees/app/fix': true,
    'worktrees/app/fix/packages/a': true,
  });
  make();
  expect([decision(), decision('packages/a')]).toEqual([false, false]);
});

test('a later decision about a project holds for its worktrees, and for no others', () => {
  const { make, decision, home, root, worktree } = world({ 'elsewhere/app': true });
  make();
  const files = new WorkspaceFiles({ stateFolder: join(home, 'state') });
  const record = { kind: 'worktree', state: 'idle', repository: root, path: worktree } as const;
  vi.spyOn(files, 'list').mockReturnValue([record as StoredWorkspace]);
  decideTrust({ files }, join(home, 'other'), false, home);
  expect(decision()).toBe(true);
  for (const folder of [root, join(home, 'elsewhere')]) {
    decideTrust({ files }, folder, false, home);
    expect(decision()).toBe(false);
    decideTrust({ files }, folder, true, home);
    expect(decision()).toBe(true);
    // Without its own, the repository has the decision about the folder around it.
    decideTrust({ files }, root, undefined, home);
  }
  decideTrust({ files }, root, true, home);
  decideTrust({ files }, join(root, 'packages/a'), false, home);
  expect([decision(), decision('packages/a')]).toEqual([true, false]);
  rmSync(root, { recursive: true });
  decideTrust({ files }, root, false, home);
});
