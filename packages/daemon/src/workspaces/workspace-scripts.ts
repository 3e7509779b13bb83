import type { Confine } from '@baton/process/isolation/confine';
import { BatonError } from '@baton/protocol';
import type { ScriptRun, WorkspaceScriptName, WorkspaceScripts } from '@baton/protocol/wire';
import {
  LastLines,
  runDevServer,
  runningDevServer,
  type ScriptResult,
  stopDevServer,
  userWorkspaceSettings,
  type WorkspaceHome,
  type WorkspaceOperations,
} from '@baton/workspaces';
import type { Logger } from 'pino';

type Run = {
  startedAt: string;
  lines: LastLines;
  stop: AbortController;
  /** Settles once nothing of it is left. */
  ended: Promise<void>;
  end?: Pick<ScriptRun, 'exit_code' | 'ended_at' | 'problem' | 'state'> | undefined;
};

/** Setups and dev servers that this daemon runs in worktrees; all of them end with it. */
export class WorkspaceScriptRuns {
  #home: WorkspaceHome;
  #log: Logger;
  #runs = new Map<string, Run>();
  #isClosed = false;

  constructor(home: WorkspaceHome, log: Logger) {
    this.#home = home;
    this.#log = log;
  }

  /** The scripts of a workspace, with their present or last runs. */
  async find(id: string, operations: WorkspaceOperations): Promise<WorkspaceScripts> {
    const record = this.#home.files.get(id);
    const found = await operations.settings({ id, user: userWorkspaceSettings() });
    const { settings, untrusted = null } = found;
    return {
      workspace_id: id,
      ports: record.ports,
      setup: { is_configured: settings.setup !== undefined, run: this.#shown(id, 'setup') },
      dev_server: {
        is_configured: settings.devServer !== undefined,
        run: this.#shown(id, 'dev_server'),
      },
      untrusted,
    };
  }

  /** Starts a script, and resolves once it runs or has failed to. Rejects with `conflict` if it already runs. */
  async start(id: string, script: WorkspaceScriptName, tools: ScriptTools): Promise<void> {
    if (this.#isClosed) throw new BatonError('conflict', 'The daemon is stopping.');
    if (this.#running(id, script)) {
      const what = script === 'setup' ? 'setup' : 'dev server';
      throw new BatonError('conflict', `The ${what} of this workspace already runs.`, {
        hint: 'Stop it first.',
      });
    }
    const [lines, stop] = [new LastLines(), new AbortController()];
    const started = Promise.withResolvers<void>();
    const running = script === 'setup' ? this.#setUp : this.#serve;
    const run: Run = { startedAt: now(), lines, stop, ended: Promise.resolve() };
    const result = running.call(this, id, { ...tools, run, onStart: started.resolve });
    run.ended = result.then(
      ({ exitCode }) => {
        // Null if somebody killed it, such as a removal of the workspace.
        const state = exitCode === null ? 'stopped' : 'exited';
        run.end = { state, exit_code: exitCode, ended_at: now(), problem: null };
        started.resolve();
      },
      (error: unknown) => {
        const isOurs = BatonError.is(error);
        if (!isOurs) this.#log.error({ err: error }, 'A script of a workspace failed.');
        const problem = isOurs ? error.message : 'Internal error. The log of the daemon has it.';
        const exit_code = script === 'setup' ? this.#setupCode(id) : null;
        const state = stop.signal.aborted ? 'stopped' : 'exited';
        run.end = { state, exit_code, ended_at: now(), problem };
        // The caller gets the reason why it did not start; afterwards only the run has it.
        started.reject(error);
      },
    );
    this.#runs.set(keyOf(id, script), run);
    await started.promise;
  }

  /** Stops a script with everything that it started; a dev server also if another program runs it. */
  async stop(id: string, script: WorkspaceScriptName): Promise<void> {
    const run = this.#running(id, script);
    run?.stop.abort();
    await run?.ended;
    if (!run && script === 'dev_server') await stopDevServer(this.#home, id);
  }

  /** Stops all scripts. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { stop } of this.#runs.values()) stop.abort();
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
  }

  async #serve(
    id: string,
    { run, operations, confine, onStart }: StartOptions,
  ): Promise<ScriptResult> {
    return runDevServer({
      home: this.#home,
      id,
      found: await operations.settings({ id, user: userWorkspaceSettings() }),
      confine,
      signal: run.stop.signal,
      onStart,
      onLine: (line) => run.lines.push(line),
    });
  }

  async #setUp(
    id: string,
    { run, operations, confine, onStart }: StartOptions,
  ): Promise<Pick<ScriptResult, 'exitCode'>> {
    const { signal } = run.stop;
    const onOutput = (text: string) => {
      for (const line of text.replace(/\n$/, '').split('\n')) run.lines.push(line);
    };
    const query = { id, user: userWorkspaceSettings() };
    await operations.setUp(query, { confine, signal, onStart, onOutput });
    return { exitCode: 0 };
  }

  #setupCode(id: string): number | null {
    try {
      return this.#home.files.get(id).setup?.exit_code ?? null;
    } catch {
      return null;
    }
  }

  #running(id: string, script: WorkspaceScriptName): Run | undefined {
    const run = this.#runs.get(keyOf(id, script));
    return run?.end ? undefined : run;
  }

  #shown(id: string, script: WorkspaceScriptName): ScriptRun | null {
    const run = this.#runs.get(keyOf(id, script));
    const elsewhere =
      script === 'dev_server' && (!run || run.end) ? runningDevServer(this.#home, id) : undefined;
    if (elsewhere) return { ...RUNNING, started_at: elsewhere.started_at, output: [] };
    if (!run) return null;
    return {
      ...RUNNING,
      ...run.end,
      started_at: run.startedAt,
      output: run.lines.list(),
    };
  }
}

type ScriptTools = {
  /** Reads the files of the project, in the isolation of agents. */
  operations: WorkspaceOperations;
  /** Runs the script itself in that isolation. */
  confine: Confine | undefined;
};

type StartOptions = ScriptTools & { run: Run; onStart(): void };

const RUNNING = { state: 'running', exit_code: null, ended_at: null, problem: null } as const;

function keyOf(id: string, script: WorkspaceScriptName): string {
  return `${script} ${id}`;
}

function now(): string {
  return new Date().toISOString();
}
