import { BatonError, type WorkspaceEvent } from '@baton/protocol/values';
import type { UserWorkspaceSettings } from '../project/workspace-settings.ts';
import type { RunScriptOptions } from '../scripts/run-script.ts';
import { type RunSetup, setUpWorkspace, setupRunner } from '../turn/set-up-workspace.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import type { StoredWorkspace } from '../worktree/workspace-files.ts';
import { isOwnerAlive } from '../worktree/workspace-owner.ts';
import { isInUse } from '../worktree/workspace-use.ts';
import { noScript, presentWorktree, scriptSettings } from './workspace-scripts.ts';

export type SetUpAgainOptions = Pick<RunScriptOptions, 'confine' | 'signal'> & {
  home: WorkspaceHome;
  id: string;
  /** True to run it although an agent works there. */
  force?: boolean | undefined;
  /** Called once it begins. */
  onStart?(): void;
  /** Called with pieces of the output. */
  onOutput(text: string): void;
  /** Settings of the user; a confined process gets them from the one that started it. */
  user?: UserWorkspaceSettings | undefined;
  /** Runs the script; in this process by default. */
  runSetup?: RunSetup | undefined;
};

/**
 * Runs the setup of a workspace again: ports, copied files, setup script. Rejects with `setup_failed` if the script fails;
 * the record of the workspace then has its exit code.
 */
export async function setUpAgain({
  home,
  id,
  force = false,
  onStart,
  onOutput,
  confine,
  signal,
  user,
  runSetup,
}: SetUpAgainOptions): Promise<StoredWorkspace> {
  const record = presentWorktree(home, id);
  if (isInUse(home.files, record) && !force) {
    const words = isOwnerAlive(record) ? 'A setup is running in' : 'An agent works in';
    throw new BatonError('conflict', `${words} ${record.path}.`, {
      hint: 'Wait for it or stop it first, or use "baton workspaces setup NAME --force".',
    });
  }
  const found = await scriptSettings(record, user);
  if (found.settings.setup === undefined) throw noScript('setup', record, found);
  const onEvent = outputOf(onOutput);
  onStart?.();
  return setUpWorkspace({
    home,
    record,
    settings: found.settings,
    source: record.repository ?? record.path,
    runSetup: runSetup ?? setupRunner({ onEvent, confine, signal, inherited: home.inherited }),
    signal,
    onEvent,
  });
}

/** Takes the output of a setup from its events. */
export function outputOf(onOutput: (text: string) => void): (event: WorkspaceEvent) => void {
  return (event) => {
    if (event.type === 'tool.updated' && event.output !== undefined) onOutput(event.output);
    if (event.type === 'notice') onOutput(`${event.message}\n`);
  };
}
