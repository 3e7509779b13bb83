import { expect, test } from 'vitest';
import { NO_CHOICES, workspaceRequest } from './workspace-request.ts';

const FOLDER = {
  folder: '/app',
  repository: '/app',
  branch: 'main',
  can_have_worktree: true,
  default_kind: null,
  busy: [],
};

test.each([
  [null, undefined, 'worktree'],
  ['worktree', undefined, 'worktree'],
  ['in_place', undefined, 'in_place'],
  ['worktree', 'in_place', 'in_place'],
  ['in_place', 'worktree', 'worktree'],
] as const)(
  'with the default %s of the project, the choice %s requests %s',
  (default_kind, choice, kind) => {
    expect(workspaceRequest({ ...FOLDER, default_kind }, { ...NO_CHOICES, kind: choice })).toEqual({
      kind,
    });
  },
);

test('requests the folder itself if it can have no worktree, and nothing on another machine', () => {
  const folder = { ...FOLDER, can_have_worktree: false, default_kind: 'worktree' as const };
  const choices = { ...NO_CHOICES, kind: 'worktree', name: 'x' } as const;
  expect(workspaceRequest(folder, choices)).toEqual({ kind: 'in_place' });
  expect(workspaceRequest(undefined, choices)).toBeUndefined();
});

test('a worktree has the chosen name, base and uncommitted changes, but not those of in place', () => {
  const choices = { kind: undefined, name: ' fix ', base: 'v1', withChanges: true };
  const all = { kind: 'worktree', name: 'fix', base: 'v1', with_changes: true };
  expect(workspaceRequest(FOLDER, choices)).toEqual(all);
  expect(workspaceRequest(FOLDER, { ...choices, kind: 'in_place' })).toEqual({ kind: 'in_place' });
});
