import { expect, test } from 'vitest';
import { workspaceRequest } from './workspace-request.ts';

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
    expect(workspaceRequest({ ...FOLDER, default_kind }, choice)).toEqual({ kind });
  },
);

test('requests the folder itself if it can have no worktree, and nothing on another machine', () => {
  const folder = { ...FOLDER, can_have_worktree: false, default_kind: 'worktree' as const };
  expect(workspaceRequest(folder, 'worktree')).toEqual({ kind: 'in_place' });
  expect(workspaceRequest(undefined, 'worktree')).toBeUndefined();
});
