import type { WorkspaceScripts } from '@baton/client';
import { useEffect, useRef, useState } from 'react';
import { useMay } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { ScriptOutput } from './script-output.tsx';
import { useScriptActions } from './use-scripts.ts';

type Props = {
  scripts: WorkspaceScripts;
  /** True if the last setup of the worktree failed. */
  hasFailed: boolean;
};

/** Runs the setup of a worktree again after it failed, and shows its output. */
export function SetupButton({ scripts, hasFailed }: Props) {
  const may = useMay('member');
  const [isOpen, open] = useState(false);
  const { start } = useScriptActions(scripts.workspace_id);
  const { is_configured, run } = scripts.setup;
  const isRunning = run?.state === 'running';
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    // The list has the state of the worktree after its setup.
    if (wasRunning.current && !isRunning) makeStale('workspaces');
    wasRunning.current = isRunning;
  }, [isRunning]);
  if (!may || !is_configured || (!hasFailed && !isRunning && !isOpen)) return null;
  const act = async () => {
    if (!isRunning) await start('setup');
    open(true);
  };
  return (
    <>
      <Button small icon="retry" onClick={act}>
        {isRunning ? 'Show setup' : 'Set up again'}
      </Button>
      {isOpen && run && (
        <ScriptOutput title={setupTitle(run)} run={run} onClose={() => open(false)} />
      )}
    </>
  );
}

function setupTitle({ state, exit_code }: NonNullable<WorkspaceScripts['setup']['run']>): string {
  if (state === 'running') return 'Setup running';
  return exit_code === 0 ? 'Setup done' : 'Setup failed';
}
