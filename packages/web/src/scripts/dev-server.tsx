import type { WorkspaceScripts } from '@baton/client';
import { useState } from 'react';
import { useMay } from '../data/daemon.tsx';
import { Button } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { ScriptOutput } from './script-output.tsx';
import styles from './scripts.module.css';
import { useScriptActions, useScripts } from './use-scripts.ts';

/** The state of the dev server of a worktree with links to its ports; nothing if it never ran. */
export function DevServerState({ scripts }: { scripts: WorkspaceScripts }) {
  const [isOpen, open] = useState(false);
  const { dev_server, ports } = scripts;
  const { run } = dev_server;
  if (!run) return null;
  return (
    <span className={styles.state}>
      <span>{stateWords(run)}</span>
      {run.state === 'running' &&
        Object.entries(ports).map(([name, port]) => (
          <a key={name} href={`http://localhost:${port}`} target="_blank" rel="noreferrer">
            localhost:{port}
          </a>
        ))}
      <button type="button" className={styles.open} onClick={() => open(true)}>
        Output
      </button>
      {isOpen && <ScriptOutput title="Dev server" run={run} onClose={() => open(false)} />}
    </span>
  );
}

function stateWords({
  state,
  exit_code,
  problem,
}: NonNullable<WorkspaceScripts['dev_server']['run']>): string {
  if (state === 'running') return 'Dev server running';
  if (problem !== null) return `Dev server failed: ${problem}`;
  return state === 'stopped' ? 'Dev server stopped' : `Dev server exited with ${exit_code}`;
}

/** Starts or stops the dev server of a worktree. */
export function DevServerButton({ scripts }: { scripts: WorkspaceScripts }) {
  const may = useMay('member');
  const [isBusy, setBusy] = useState(false);
  const { start, stop } = useScriptActions(scripts.workspace_id);
  const { is_configured, run } = scripts.dev_server;
  const isRunning = run?.state === 'running';
  if (!may || (!is_configured && !isRunning)) return null;
  const act = async () => {
    setBusy(true);
    await (isRunning ? stop : start)('dev_server');
    setBusy(false);
  };
  return (
    <Button small icon={isRunning ? 'stop' : 'play'} busy={isBusy} onClick={act}>
      {isRunning ? 'Stop dev server' : 'Start dev server'}
    </Button>
  );
}

/** The dev server in the header of a session that works in a worktree. */
export function SessionDevServer({ workspaceId }: { workspaceId: string }) {
  const scripts = useScripts(workspaceId);
  if (!scripts || (!scripts.dev_server.is_configured && !scripts.dev_server.run)) return null;
  return (
    <span className={styles.inHeader}>
      <Icon name="globe" size={14} />
      <DevServerState scripts={scripts} />
      <DevServerButton scripts={scripts} />
    </span>
  );
}
