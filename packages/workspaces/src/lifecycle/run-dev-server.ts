import { assignPorts } from '../scripts/ports.ts';
import { type RunScriptOptions, runScript, type ScriptResult } from '../scripts/run-script.ts';
import { scriptEnvironment } from '../scripts/script-environment.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import { claimDevServer } from './dev-server-claim.ts';
import {
  noScript,
  presentWorktree,
  type ScriptSettings,
  scriptSettings,
} from './workspace-scripts.ts';

export type DevServerOptions = Pick<RunScriptOptions, 'onLine' | 'confine' | 'signal'> & {
  home: WorkspaceHome;
  /** The workspace. */
  id: string;
  /** Called once it runs, with the ports that it was given. */
  onStart?(ports: Readonly<Record<string, number>>): void;
  /** The settings of the workspace; read in this process by default. */
  found?: ScriptSettings | undefined;
};

/**
 * Runs the dev server of a workspace until it ends or is stopped; nothing that it started outlives it. Rejects with
 * `conflict` if the workspace already has one.
 */
export async function runDevServer({
  home,
  id,
  onStart,
  found: given,
  ...options
}: DevServerOptions): Promise<ScriptResult> {
  const record = presentWorktree(home, id);
  const found = given ?? (await scriptSettings(record));
  const { devServer, ports: variables = [], env } = found.settings;
  if (devServer === undefined) throw noScript('devServer', record, found);
  const claim = await claimDevServer(home, id, options.signal);
  try {
    const ports = await assignPorts(home.files, id, variables, options.signal);
    home.files.change(id, { used_at: new Date().toISOString() });
    return await runScript({
      ...options,
      script: devServer,
      workspace: home.files.get(id),
      env: await scriptEnvironment(env, home.inherited),
      onStart(process) {
        claim.started(process);
        onStart?.(ports);
      },
    });
  } finally {
    claim.drop();
  }
}
