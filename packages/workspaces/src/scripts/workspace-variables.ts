import type { WorkspaceRecord } from '@baton/protocol/values';

type Workspace = Pick<WorkspaceRecord, 'path' | 'branch' | 'base_commit' | 'repository' | 'ports'>;

/** Variables that scripts and agents of a workspace get. */
export function workspaceVariables(workspace: Workspace): Readonly<Record<string, string>> {
  const ports = Object.entries(workspace.ports).map(([name, port]) => [name, `${port}`]);
  return {
    ...Object.fromEntries(ports),
    BATON_WORKSPACE: workspace.path,
    ...(workspace.branch ? { BATON_BRANCH: workspace.branch } : {}),
    ...(workspace.base_commit ? { BATON_BASE_COMMIT: workspace.base_commit } : {}),
    ...(workspace.repository ? { BATON_REPOSITORY: workspace.repository } : {}),
  };
}
