import { basename } from 'node:path';
import type { ChangeSummary, HostRequest } from '@baton/protocol/values';

/** Tells where an agent works, what its setup prints, and the size of its change in a worktree. */
export function workspaceWords(tell: (line: string) => void): HostRequest['onWorkspace'] {
  let isPlaced = false;
  let news: ChangeSummary | undefined;
  return (event) => {
    if (event.type === 'notice' && event.level !== 'info') tell(`${event.level}: ${event.message}`);
    if (event.type === 'tool.started' && event.action.type === 'command') {
      tell(`Setting up: ${event.action.command}`);
    }
    if (event.type === 'tool.updated' && event.output) tell(event.output.trimEnd());
    if (event.type === 'changes.updated') news = event.changes;
    if (event.type !== 'workspace.updated' || event.workspace.kind !== 'worktree') return;
    const { path, branch, base_ref: base, state } = event.workspace;
    if (!isPlaced) tell(`Working in ${path} on branch ${branch}, from ${base}.`);
    isPlaced = true;
    if (state !== 'idle' || !news) return;
    const { files, additions, deletions } = news;
    news = undefined;
    const size = `${files} ${files === 1 ? 'file' : 'files'} changed, +${additions} −${deletions}`;
    const name = basename(path);
    tell(`${size}. Show it with "baton diff ${name} --base".`);
    tell(`Finish it with "baton finish merge ${name}".`);
  };
}
