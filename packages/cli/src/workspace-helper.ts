/** The argument with which daemons and executors start this program in the isolation of a session. */
export const WORKSPACE_HELPER = 'workspace-helper';

/** The command that works on files in the isolation of a session. */
export function workspaceHelper(): { file: string; args: readonly string[] } {
  return { file: process.execPath, args: [process.argv[1] ?? '', WORKSPACE_HELPER] };
}
