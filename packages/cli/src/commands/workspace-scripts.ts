import { BatonError } from '@baton/protocol/values';
import type { StoredWorkspace, WorkspaceHome } from '@baton/workspaces';
import { EXIT } from '../exit-codes.ts';
import { stopOnSignals } from '../terminal/stop-on-signals.ts';

/** Prints a line of a script on stderr: stdout is for the result of the command. */
export function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Runs the setup of a workspace again; its output goes to stderr. */
export async function runSetup(
  home: WorkspaceHome,
  { workspace_id: id }: StoredWorkspace,
  { force }: { force: boolean },
): Promise<{ record: StoredWorkspace; exitCode: number }> {
  const { setUpAgain } = await import('@baton/workspaces');
  const stop = stopOnSignals();
  try {
    const record = await setUpAgain({
      ...{ home, id, force, signal: stop.signal },
      onOutput: (text) => process.stderr.write(text),
    });
    return { record, exitCode: EXIT.done };
  } catch (error) {
    if (!BatonError.is(error) || error.code !== 'setup_failed') throw error;
    process.stderr.write(`error: ${error.message}\n`);
    const record = home.files.get(id);
    const failed = record.setup?.exit_code ?? EXIT.failed;
    return { record, exitCode: stop.signal.aborted ? EXIT.interrupted : failed };
  } finally {
    stop.end();
  }
}

/** Runs the dev server of a workspace in this terminal until it ends or is interrupted. */
export async function runDev(
  home: WorkspaceHome,
  { workspace_id: id, path }: StoredWorkspace,
): Promise<number> {
  const { runDevServer } = await import('@baton/workspaces');
  const stop = stopOnSignals();
  // A reader that is gone, such as "head", ends the server too.
  process.stdout.on('error', stop.abort);
  try {
    const { exitCode } = await runDevServer({
      ...{ home, id, signal: stop.signal },
      onStart(ports) {
        process.stderr.write(`Running the dev server in ${path}. Ctrl-C stops it.\n`);
        for (const [name, port] of Object.entries(ports)) {
          process.stderr.write(`${name}: http://localhost:${port}\n`);
        }
      },
      onLine: (line, stream) => process[stream].write(`${line}\n`),
    });
    if (stop.signal.aborted) return EXIT.interrupted;
    return exitCode ?? EXIT.failed;
  } finally {
    stop.end();
  }
}

/** Stops the dev server of a workspace, which another program may run. */
export async function stopDev(
  home: WorkspaceHome,
  { workspace_id: id, path }: StoredWorkspace,
): Promise<number> {
  const { stopDevServer } = await import('@baton/workspaces');
  const wasRunning = await stopDevServer(home, id);
  process.stdout.write(
    wasRunning ? `Stopped the dev server of ${path}.\n` : 'No dev server was running.\n',
  );
  return EXIT.done;
}
