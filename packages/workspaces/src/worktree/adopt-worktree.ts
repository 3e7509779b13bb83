import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { BatonError } from '@baton/protocol/values';
import { readHead } from '../git/repository.ts';
import { UserRepository } from './user-repository.ts';
import type { StoredWorkspace, WorkspaceTools } from './workspace-files.ts';

export type AdoptOptions = WorkspaceTools & {
  /** Folder in a worktree that the user made. */
  path: string;
  /** Branch that it is compared with; the branch of the main worktree by default. */
  base?: string | undefined;
  host?: string | undefined;
  sessionId?: string | undefined;
  createdBy?: string | undefined;
};

/** Records a worktree of the user as a workspace. Its branch is never deleted. */
export async function adoptWorktree(options: AdoptOptions): Promise<StoredWorkspace> {
  const { git, files, path, host = hostname(), sessionId, createdBy } = options;
  const repository = UserRepository.find(git, path);
  const { place, mainRoot } = repository;
  if (place.kind !== 'linked') {
    throw new BatonError('conflict', `${place.root} is not a worktree of another repository.`, {
      hint: 'Make one with "git worktree add", or run in place.',
    });
  }
  const known = files.list().find((record) => record.path === place.root);
  if (known && known.state !== 'removed') return known;
  const { head, branch } = await readHead(git, place);
  const main = await readHead(git, { ...place, gitDir: place.commonDir, root: mainRoot });
  const base = options.base ?? (main.branch !== branch ? main.branch : undefined) ?? 'HEAD';
  const tip = await repository.commitOf(base);
  if (!tip) throw new BatonError('not_found', `"${base}" is not a branch, tag or commit.`);
  const common = head
    ? await git.text(['merge-base', tip, head], repository.call({ answers: [1, 128] }))
    : '';
  const now = new Date().toISOString();
  const record: StoredWorkspace = {
    workspace_id: `ws_${randomBytes(8).toString('hex')}`,
    kind: 'worktree',
    state: 'idle',
    host,
    repository: mainRoot,
    path: place.root,
    cwd: place.root,
    branch: branch ?? null,
    base_ref: base,
    base_commit: common || tip,
    session_id: sessionId ?? null,
    created_by: createdBy ?? null,
    created_at: now,
    used_at: now,
    ports: {},
    setup: null,
    removed: null,
    problem: null,
    adopted: true,
  };
  files.put(record);
  return record;
}
