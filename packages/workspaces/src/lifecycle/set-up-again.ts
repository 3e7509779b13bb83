import { BatonError, type WorkspaceEvent } from '@baton/protocol/values';
import type { RunScriptOptions } from '../scripts/run-script.ts';
import { setUpWorkspace, setupRunner } from '../turn/set-up-workspace.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import type { StoredWorkspace } from '../worktree/workspace-files.ts';
import { noScript, presentWorktree, scriptSettings } from './workspace-scripts.ts';

export type SetUpAgainOptions = Pick<RunScriptOptions, 'confine' | 'signal'> & {
  home: WorkspaceHome;
  id: string;
  /** True to run it although the record says that an agent works there, such as one that was killed. */
  force?: boolean | undefined;
  /** Called once it begins. */
  onStart?(): void;
  /** Called with pieces of the output. */
  onOutput(text: string): void;
};

const BUSY: readonly StoredWorkspace['state'][] = ['creating', 'setting_up', 'in_use'];

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
}: SetUpAgainOptions): Promise<StoredWorkspace> {
  const record = presentWorktree(home, id);
  if (BUSY.includes(record.state) && !force) {
    const words = record.state === 'in_use' ? 'An agent works in' : 'A setup is running in';
    throw new BatonError('conflict', `${words} ${record.path}.`, {
      hint: 'Stop the task first. If its program was killed, use "baton workspaces setup NAME --force".',
    });
  }
  const found = await scriptSettings(record);
  if (found.settings.setup === undefined) throw noScript('setup', record, found);
  const onEvent = (event: WorkspaceEvent) => {
    if (event.type === 'tool.updated' && event.output !== undefined) onOutput(event.output);
    if (event.type === 'notice') onOutput(`${event.message}\n`);
  };
  onStart?.();
  try {
    return await setUpWorkspace({
      home,
      record,
      settings: found.settings,
      source: record.repository ?? record.path,
      runSetup: setupRunner({ onEvent, confine, signal, inherited: home.inherited }),
      signal,
      onEvent,
    });
  } catch (error) {
    const isRecorded = BatonError.is(error) && error.code === 'setup_failed';
    const problem = error instanceof Error ? error.message : String(error);
    if (!isRecorded) home.files.change(id, { state: 'failed', problem });
    throw error;
  }
}
