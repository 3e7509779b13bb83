import type { SessionEventOf } from '../session/session-event.ts';

/** A sentence about finished work. */
export function finishedWords({
  action,
  branch,
  commit,
  target,
  url,
  files = 0,
}: SessionEventOf<'work.finished'>): string {
  const id = commit?.slice(0, 10);
  if (action === 'discard') return `Discarded the worktree${branch ? ` of ${branch}` : ''}.`;
  if (action === 'merge') return `Merged ${branch} into ${target} as ${id}.`;
  if (action === 'push' || action === 'pr') {
    return `Pushed ${branch} to ${target}${url ? ` for ${url}` : ''}.`;
  }
  return `Committed ${files} ${files === 1 ? 'file' : 'files'}${branch ? ` on ${branch}` : ''} as ${id}.`;
}
