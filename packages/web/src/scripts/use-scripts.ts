import type { WorkspaceScriptName, WorkspaceScripts } from '@baton/client';
import { attempt } from '../data/attempt.ts';
import { useDaemon } from '../data/daemon.tsx';
import { makeStale, queryClient, useRecords } from '../data/queries.ts';

/** Nothing reports the end or the output of a script. */
const RUNNING_MS = 1500;
const IDLE_MS = 15_000;

/** The setup and the dev server of a worktree; undefined until they are known, and for one of another machine. */
export function useScripts(
  workspaceId: string,
  { enabled = true }: { enabled?: boolean } = {},
): WorkspaceScripts | undefined {
  const key = ['workspaces', 'scripts', workspaceId] as const;
  const known = queryClient.getQueryData<WorkspaceScripts>(key);
  const { data } = useRecords(key, (client) => client.workspaces.scripts(workspaceId), {
    everyMs: known && isRunning(known) ? RUNNING_MS : IDLE_MS,
    onReturn: true,
    enabled,
  });
  return data;
}

/** Starts and stops scripts of a worktree. */
export function useScriptActions(workspace_id: string) {
  const { client } = useDaemon();
  const act = async (method: 'startScript' | 'stopScript', script: WorkspaceScriptName) => {
    await attempt(() => client.workspaces[method]({ workspace_id, script }));
    makeStale('workspaces');
  };
  return {
    start: (script: WorkspaceScriptName) => act('startScript', script),
    stop: (script: WorkspaceScriptName) => act('stopScript', script),
  };
}

function isRunning({ setup, dev_server }: WorkspaceScripts): boolean {
  return setup.run?.state === 'running' || dev_server.run?.state === 'running';
}
