import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { Baton } from '@baton/agents/registry/baton';
import { loadSettings, type Settings } from '@baton/config/settings';
import type { Backend, RunInput } from '@baton/engine/definition/backend';
import { checkProviderOptions, resolveOptions } from '@baton/engine/options/check-options';
import {
  type AgentRun,
  type BackendFacts,
  BatonError,
  type FolderTrust,
  type FoundRun,
  type Host,
  type HostedRun,
  type HostRequest,
  type JoinHooks,
  type OutputSchema,
  type Probe,
  RUN_OPTION_KEYS,
  type RunIds,
  type RunOptions,
  type RunResult,
  readOutputSchema,
  type StructuredOf,
} from '@baton/protocol/values';
import type { Store } from '@baton/store';
import type { KeptRuns } from './kept-runs.ts';
import { placedBy } from './placed-by.ts';

export type EmbeddedHostOptions = {
  /** The agents. */
  baton: Baton;
  /** The settings for the agents of a folder; by default, those of the user and the folder. */
  settings?: ((cwd: string) => Settings) | undefined;
  /** Loads the backend of a name, if not from `baton` with these settings. */
  load?: ((name: string) => Promise<Backend>) | undefined;
  /** Keeps sessions and runs, so that they can be joined, found after a crash and continued. */
  store?: Store | undefined;
  /** True to keep the files before and after each run, so that it can be undone; only without a store. */
  keepsFiles?: boolean | undefined;
};

type Input<Schema extends OutputSchema> = RunInput<Record<string, unknown>, Schema>;

/** The command of a compiled agent gets this flag if the run allows everything. */
const SKIP_PERMISSIONS = '--dangerously-skip-permissions';
/** Stands for the prompt of a compiled agent that has its own. */
const OWN_PROMPT = 'The prompt of the agent';

/** Runs agents in this process. Without a store, only the agents themselves keep their sessions. */
export class EmbeddedHost implements Host {
  readonly url = undefined;
  #options: EmbeddedHostOptions;
  #kept: Promise<KeptRuns> | undefined;
  /** Probing starts the agent's program, so that requests for the same agent share the result. */
  #probes = new Map<string, Promise<void>>();

  constructor(options: EmbeddedHostOptions) {
    this.#options = options;
  }

  async describe(name: string): Promise<BackendFacts> {
    return this.#options.baton.backend(name);
  }

  async probe(name: string, cwd: string): Promise<Probe> {
    return (await this.backend(name, cwd)).probe({ cwd });
  }

  async check(request: Omit<HostRequest, 'prompt'>): Promise<void> {
    const { cwd = '.' } = request;
    const { backend, input } = await this.#prepare({ ...request, prompt: OWN_PROMPT });
    const { json } = readOutputSchema(request.outputSchema);
    const options = runOptions({ ...input, ...(json && { outputSchema: json }) });
    resolveOptions(backend, options, this.#options.baton.backends());
    checkProviderOptions(backend, options);
    const key = `${backend.id}\n${cwd}`;
    const probe = this.#probes.get(key) ?? checkInstalled(backend, cwd);
    this.#probes.set(key, probe);
    await probe;
  }

  async launch<const Schema extends OutputSchema = OutputSchema>(
    request: HostRequest<Schema>,
  ): Promise<HostedRun<AgentRun<StructuredOf<Schema>>>> {
    if (this.#options.store) {
      const { backend, input } = await this.#prepare(request);
      const kept = await this.#keptRuns();
      return (await kept.launch(backend, request, input)) as HostedRun<
        AgentRun<StructuredOf<Schema>>
      >;
    }
    // Loading the backend takes about as long as keeping the files. A worktree may have settings of its own.
    const early = request.workspace?.kind === 'worktree' ? undefined : this.#prepare(request);
    early?.catch(() => {});
    const turn = await this.#enterTurn(request);
    try {
      const place = turn && (await placedBy(turn, request));
      const { backend, input } = await (early ?? this.#prepare({ ...request, ...place }));
      const { session } = request;
      const ready = turn?.begun;
      const options = { ...input, ...place, ready, ...(session && { resume: session }) };
      const run = backend.run<Schema>(options);
      const kept = turn && run.result.then(() => turn.end());
      return { run, sessionId: undefined, kept, leave: () => void run.cancel() };
    } catch (error) {
      await turn?.end();
      throw error;
    }
  }

  /** Hands the terminal to the agent's own interface, in a worktree if the request asks for one; returns its exit code. */
  async openInterface(
    request: Omit<HostRequest, 'prompt'> & { prompt?: string | undefined },
  ): Promise<number> {
    const { prompt, ...asked } = request;
    const turn = await this.#enterTurn({ ...asked, prompt: prompt ?? '' });
    const placed = turn ? { ...asked, ...(await placedBy(turn, asked)) } : asked;
    try {
      await turn?.begun;
      const { backend, input } = await this.#prepare({ ...placed, prompt: '' });
      if (!backend.interactive || !backend.capabilities.features.interactive) {
        throw new BatonError('capability_missing', `${backend.label} has no interactive mode.`, {
          hint: 'Run a prompt instead.',
        });
      }
      const { prompt: _none, ...options } = input;
      const { exitCode } = await backend.interactive({ ...options, ...(prompt ? { prompt } : {}) });
      return exitCode;
    } finally {
      await turn?.end();
    }
  }

  /** Begins to keep the files of the folder, in a worktree of its own if the request asks for one. */
  async #enterTurn({ workspace, cwd = '.', prompt, onWorkspace, signal }: HostRequest) {
    const { keepsFiles = false } = this.#options;
    if (!keepsFiles && workspace?.kind !== 'worktree') return undefined;
    // The backend rejects an empty folder with the reason.
    if (cwd === '') return undefined;
    const { Turn, WorkspaceHome } = await import('@baton/workspaces/turn');
    return Turn.enter({
      home: new WorkspaceHome(),
      sessionId: randomUUID(),
      isNew: true,
      taskId: randomUUID(),
      createdBy: userInfo().username,
      cwd: resolve(cwd),
      request: workspace,
      prompt,
      signal,
      onEvent: (event) => onWorkspace?.(event),
    });
  }

  async join(ids: RunIds, hooks?: JoinHooks): Promise<HostedRun> {
    return (await this.#keptRuns()).join(ids, hooks);
  }

  async find(ids: RunIds): Promise<FoundRun> {
    return (await this.#keptRuns()).find(ids);
  }

  async stop(ids: RunIds, reason?: string): Promise<RunResult> {
    return (await this.#keptRuns()).stop(ids, reason);
  }

  async trustOf({
    backend,
    cwd = '.',
    env,
  }: Pick<HostRequest, 'backend' | 'cwd' | 'env'>): Promise<FolderTrust> {
    return (await this.backend(backend, cwd)).trustOf({ cwd, env });
  }

  async keepTrust(folder: string, trusted: boolean): Promise<void> {
    const { decideTrust, WorkspaceHome } = await import('@baton/workspaces');
    decideTrust(new WorkspaceHome(), folder, trusted);
  }

  /** Loads a backend with the settings of a folder. */
  backend(name: string, cwd: string): Promise<Backend> {
    const { baton, settings = userSettings, load } = this.#options;
    if (load) return load(name);
    return baton.withSettings(settings(cwd)).loadBackend(name);
  }

  async #prepare<Schema extends OutputSchema>(
    request: HostRequest<Schema>,
  ): Promise<{ backend: Backend; input: Input<Schema> }> {
    const { command, cwd = '.' } = request;
    if (!command) {
      return { backend: await this.backend(request.backend, cwd), input: runInput(request) };
    }
    const { compiledBackend } = await import('./compiled-backend.ts');
    const backend = await compiledBackend(this.#options.baton.registry, command, {
      hasPrompt: request.prompt !== '',
    });
    return { backend, input: compiledInput(request) };
  }

  #keptRuns(): Promise<KeptRuns> {
    const { baton, store } = this.#options;
    if (!store) {
      throw new BatonError('internal', 'A host without a store keeps no runs.');
    }
    this.#kept ??= import('./kept-runs.ts').then(
      ({ KeptRuns }) => new KeptRuns(store, baton.registry),
    );
    return this.#kept;
  }
}

function userSettings(cwd: string): Settings {
  return loadSettings({ program: 'baton', cwd });
}

/** The options of a request, without its prompt and hooks. */
function runOptions(input: object): RunOptions {
  const given = input as Record<string, unknown>;
  const values = RUN_OPTION_KEYS.flatMap((key) =>
    given[key] === undefined ? [] : [[key, given[key]]],
  );
  return Object.fromEntries(values) as RunOptions;
}

/** The part of a request that a backend takes. */
function runInput<Schema extends OutputSchema>(request: HostRequest<Schema>): Input<Schema> {
  const {
    backend: _backend,
    session: _session,
    newSession: _newSession,
    title: _title,
    taskId,
    by: _by,
    command: _command,
    onConnection: _onConnection,
    workspace: _workspace,
    onWorkspace: _onWorkspace,
    ...input
  } = request;
  return { ...input, ...(taskId && { runId: taskId }) } as Input<Schema>;
}

/** A compiled agent enforces its own permission mode; only the user's `allow-all` is passed on. */
function compiledInput<Schema extends OutputSchema>(request: HostRequest<Schema>): Input<Schema> {
  const { permissionMode, rawArgs = [], prompt } = request;
  const flags = permissionMode === 'allow-all' ? [...rawArgs, SKIP_PERMISSIONS] : rawArgs;
  return {
    ...runInput(request),
    prompt: prompt || OWN_PROMPT,
    permissionMode: 'allow-all',
    rawArgs: flags,
  };
}

/** Credentials are left to the agent, which knows more places for them than a probe. */
async function checkInstalled(backend: Backend, cwd: string): Promise<void> {
  const { installed, problems, install } = await backend.probe({ cwd });
  const problem = problems.find(({ code }) => !installed || code !== 'auth_missing');
  if (installed && !problem) return;
  const code = installed ? (problem?.code as BatonError['code']) : 'backend_not_found';
  const message = problem?.message ?? `${backend.label} is not installed.`;
  throw new BatonError(code, message, { hint: problem?.hint ?? install ?? '' });
}
