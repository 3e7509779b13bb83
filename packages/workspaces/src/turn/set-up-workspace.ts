import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Confine } from '@baton/process/isolation/confine';
import { BatonError, SCRIPT_CALL, type WorkspaceEvent } from '@baton/protocol/values';
import type { WorkspaceSettings } from '../project/settings-schema.ts';
import { copyFiles } from '../scripts/copy-files.ts';
import { assignPorts } from '../scripts/ports.ts';
import { type RunScriptOptions, runScript, type Script } from '../scripts/run-script.ts';
import { scriptEnvironment } from '../scripts/script-environment.ts';
import { SetupCache } from '../scripts/setup-cache.ts';
import { keyOf } from '../snapshot/private-repository.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import { madeBySetup, stampIgnored } from '../worktree/ignored-files.ts';
import type { InheritedVariables, StoredWorkspace } from '../worktree/workspace-files.ts';
import { thisProcess } from '../worktree/workspace-owner.ts';

type SetUpOptions = {
  home: WorkspaceHome;
  record: StoredWorkspace;
  settings: WorkspaceSettings;
  /** The user's folder, from which files are copied. */
  source: string;
  onEvent(event: WorkspaceEvent): void | Promise<void>;
  /** Runs the script; in this process by default. */
  runSetup?: RunSetup | undefined;
  signal?: AbortSignal | undefined;
};

/** A setup script, and what it depends on. */
export type Setup = {
  script: Script;
  workspace: RunScriptOptions['workspace'];
  settings: Pick<WorkspaceSettings, 'env' | 'setupTimeoutSec'>;
};

/** Runs a script as a command in the transcript; returns its exit code, or null if it was stopped. */
export type RunSetup = (setup: Setup) => Promise<number | null>;

const SETUP_TIMEOUT_SEC = 900;
/** Output is reported in pieces, because a line each would flood the log. */
const FLUSH_MS = 200;
const MAX_OUTPUT = 100_000;

/** Prepares a new worktree: ports, copied files, setup script. Rejects with `setup_failed` if the script fails. */
export async function setUpWorkspace(options: SetUpOptions): Promise<StoredWorkspace> {
  const { files } = options.home;
  const { workspace_id: id } = options.record;
  // Others know by the owner whether it still runs.
  files.change(id, { state: 'setting_up', owner: thisProcess() });
  try {
    const setup = await prepareKnown(options);
    return files.change(id, { setup, state: 'ready', problem: null, owner: undefined });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    files.change(id, { state: 'failed', problem, owner: undefined });
    throw error;
  }
}

/** Notes which ignored files the setup makes: they are no work that a removal would lose. */
async function prepareKnown(options: SetUpOptions): Promise<StoredWorkspace['setup']> {
  const { home, record, settings, signal } = options;
  if (settings.setup === undefined && !settings.copy?.length) return prepare(options);
  const repository = await home.open(record.path);
  const before = await stampIgnored(repository, signal);
  try {
    return await prepare(options);
  } finally {
    // A setup that failed or was stopped has made some of them, too.
    const setup_files = madeBySetup(record.setup_files, before, await stampIgnored(repository));
    home.files.change(record.workspace_id, { setup_files });
  }
}

/** Returns the result of the script; that of an earlier one if there is none now. */
async function prepare(options: SetUpOptions): Promise<StoredWorkspace['setup']> {
  const { home, record, settings, source, signal } = options;
  const { files } = home;
  const { workspace_id: id, path } = record;
  await assignPorts(files, id, settings.ports ?? [], signal);
  await copyFiles(settings.copy ?? [], { source, target: path, signal });
  if (settings.setup === undefined) return record.setup;
  const { cache, key } = cacheOf(options, settings.setup);
  const isCached = key !== undefined && (await cache?.restore(key, path, signal)) === true;
  const run = options.runSetup ?? setupRunner(options);
  const exitCode = isCached ? 0 : await run(setupOf(options, settings.setup));
  const setup = { exit_code: exitCode, ended_at: new Date().toISOString(), from_cache: isCached };
  if (exitCode !== 0) {
    files.change(id, { setup });
    const problem =
      exitCode === null ? 'The setup was stopped.' : `The setup exited with ${exitCode}.`;
    throw new BatonError('setup_failed', problem);
  }
  if (isCached) {
    const message = 'The result of the setup script came from the cache.';
    await options.onEvent({ type: 'notice', level: 'info', code: 'workspace', message });
  } else if (key !== undefined) {
    await cache?.save(key, path, settings.cache?.paths ?? [], signal);
  }
  return setup;
}

function cacheOf({ home, record, settings }: SetUpOptions, script: Script) {
  if (!settings.cache) return {};
  const folder = join(home.stateFolder, 'setup-cache', keyOf(record.repository ?? record.path));
  const cache = new SetupCache({ folder });
  return { cache, key: cache.keyOf(record.path, { script, files: settings.cache.key }) };
}

function setupOf({ home, record, settings }: SetUpOptions, script: Script): Setup {
  const { env, setupTimeoutSec } = settings;
  const workspace = home.files.get(record.workspace_id);
  return { script, workspace, settings: { env, setupTimeoutSec } };
}

type RunSetupOptions = Pick<SetUpOptions, 'onEvent' | 'signal'> & {
  /** Runs the script in the isolation of the session. */
  confine?: Confine | undefined;
  /** Variables that the script inherits; those of this process by default. */
  inherited?: InheritedVariables | undefined;
};

/** Returns the function that runs setup scripts in this process. */
export function setupRunner(options: RunSetupOptions): RunSetup {
  return (setup) => runSetupScript(setup, options);
}

async function runSetupScript(
  { script, workspace, settings }: Setup,
  { onEvent, confine, signal, inherited }: RunSetupOptions,
): Promise<number | null> {
  const callId = `${SCRIPT_CALL}${randomUUID()}`;
  const command = typeof script === 'string' ? script : script.join(' ');
  const action = { type: 'command' as const, command, cwd: workspace.path };
  await onEvent({ type: 'tool.started', callId, name: 'setup', action });
  const output = new Output((text) => onEvent({ type: 'tool.updated', callId, output: text }));
  const { env, setupTimeoutSec = SETUP_TIMEOUT_SEC } = settings;
  const timeoutMs = setupTimeoutSec * 1000;
  const result = await runScript({
    script,
    workspace,
    env: await scriptEnvironment(env, inherited),
    timeoutMs,
    confine,
    signal,
    onLine: (line) => output.push(line),
  });
  const text = await output.end();
  const { exitCode, stopped, ms } = result;
  const outcome = stopped === 'aborted' ? 'cancelled' : exitCode === 0 ? 'ok' : 'error';
  const timeoutWords = `\nStopped after ${timeoutMs / 1000} s.`;
  await onEvent({
    type: 'tool.completed',
    callId,
    name: 'setup',
    action: exitCode === null ? action : { ...action, exitCode },
    outcome,
    output: stopped === 'timeout' ? `${text}${timeoutWords}` : text,
    durationMs: ms,
  });
  return exitCode;
}

/** The output of a script, reported in pieces; the whole is cut in the middle if it is long. */
class Output {
  #report: (text: string) => void | Promise<void>;
  #waiting = '';
  #all = '';
  #timer: NodeJS.Timeout | undefined;
  #sent: Promise<unknown> = Promise.resolve();

  constructor(report: (text: string) => void | Promise<void>) {
    this.#report = report;
  }

  push(line: string): void {
    this.#waiting += `${line}\n`;
    this.#all += `${line}\n`;
    if (this.#all.length > 2 * MAX_OUTPUT) this.#all = cut(this.#all);
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  /** Reports the rest and returns everything. */
  async end(): Promise<string> {
    this.#flush();
    await this.#sent;
    return cut(this.#all);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = cut(this.#waiting);
    this.#waiting = '';
    if (text !== '') this.#sent = this.#sent.then(() => this.#report(text));
  }
}

function cut(text: string): string {
  if (text.length <= MAX_OUTPUT) return text;
  const half = MAX_OUTPUT / 2;
  return `${text.slice(0, half)}\n…\n${text.slice(-half)}`;
}
