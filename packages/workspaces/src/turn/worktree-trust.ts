import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import { isInside } from '@baton/config/paths/is-inside';
import { resolveLinks } from '@baton/config/paths/resolve-links';
import { keepDecision, keptDecisions } from '@baton/config/settings/keep-decision';
import { decisionFor } from '@baton/config/trust/trusted-folders';
import { findRepository, isRepository } from '../git/repository.ts';
import type { WorkspaceTools } from '../worktree/workspace-files.ts';

/**
 * Keeps what the user decided about the settings in a folder, for the worktrees of its repositories too; undefined forgets
 * the decision.
 */
export function decideTrust(
  { files }: Pick<WorkspaceTools, 'files'>,
  folder: string,
  decision: boolean | undefined,
  home = homeFolder(),
): void {
  keepDecision(folder, decision, home);
  for (const { path, kind, repository, state, adopted } of files.list()) {
    if (kind !== 'worktree' || state === 'removed' || adopted || !repository) continue;
    const isOf = isInside(folder, repository, { orEqual: true }) || isInside(repository, folder);
    if (isOf && isThere(repository)) trustLike(repository, path, home);
  }
}

function isThere(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Keeps the decisions about the settings of a repository and of folders in it for its new worktree too. The place of the
 * worktree decides nothing: the folders around it may be trusted, or an earlier worktree of another repository was.
 */
export function trustLike(folder: string, worktree: string, home = homeFolder()): void {
  const found = findRepository(folder);
  const root = isRepository(found) ? found.root : realpathSync(folder);
  const target = resolveLinks('/', worktree) ?? worktree;
  const decisions = keptDecisions(home);
  const within = (around: string) =>
    [...decisions.trusted, ...decisions.untrusted]
      .filter((each) => isAbsolute(each) && isInside(around, each, { orEqual: true }))
      .map((each) => relative(around, resolveLinks('/', each) ?? each));
  const paths = new Set(['', ...within(root), ...within(target)]);
  for (const path of [...paths].sort((a, b) => a.length - b.length)) {
    const decision = decisionFor(join(root, path), decisions);
    const place = join(target, path);
    const present = () => decisionFor(place, keptDecisions(home));
    if (present() === decision) continue;
    keepDecision(place, decision ?? (present() ? false : undefined), home);
  }
}

/** The decision about the folder of a turn. A program that read its settings before the turn began does not know it. */
export function trustOfTurn({ cwd }: { cwd: string }): { trusted?: boolean } {
  const trusted = decisionFor(cwd, keptDecisions());
  return trusted === undefined ? {} : { trusted };
}
