import type { SessionEventOf } from '../session/session-event.ts';

/** A sentence about finished work. */
export function finishedWords({
  action,
  branch,
  commit,
  target,
  files = 0,
}: SessionEventOf<'work.finished'>): string {
  const id = commit?.slice(0, 10);
  if (action === 'discard') return `Discarded the worktree${branch ? ` of ${branch}` : ''}.`;
  if (action === 'merge') return `Merged ${branch} into ${target} as ${id}.`;
  return `Committed ${files} ${files === 1 ? 'file' : 'files'}${branch ? ` on ${branch}` : ''} as ${id}.`;
}
