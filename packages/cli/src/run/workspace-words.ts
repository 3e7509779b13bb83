import type { HostRequest } from '@baton/protocol/values';

/** Tells where an agent works, and what its setup prints. */
export function workspaceWords(tell: (line: string) => void): HostRequest['onWorkspace'] {
  let isPlaced = false;
  return (event) => {
    if (event.type === 'notice' && event.level !== 'info') tell(`${event.level}: ${event.message}`);
    if (event.type === 'tool.started' && event.action.type === 'command') {
      tell(`Setting up: ${event.action.command}`);
    }
    if (event.type === 'tool.updated' && event.output) tell(event.output.trimEnd());
    if (event.type !== 'workspace.updated' || event.workspace.kind !== 'worktree' || isPlaced)
      return;
    isPlaced = true;
    const { path, branch, base_ref: base } = event.workspace;
    tell(`Working in ${path} on branch ${branch}, from ${base}.`);
  };
}
