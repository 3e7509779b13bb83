import {
  type BackendFacts,
  BatonError,
  type FolderTrust,
  type FoundRun,
  type Host,
  type HostedRun,
  type HostRequest,
  isFinal,
  type JoinHooks,
  type OutputSchema,
  type Probe,
  type RunIds,
  type RunResult,
  type StructuredOf,
} from '@baton/protocol';
import type { BatonClient } from './baton-client.ts';
import type { RemoteRun } from './remote-run.ts';

/** Runs agents through a daemon. The folders of requests are absolute paths on the machine of the daemon. */
export class RemoteHost implements Host {
  readonly url: string;
  #client: BatonClient;

  constructor(client: BatonClient) {
    this.url = client.connection.url;
    this.#client = client;
  }

  async describe(backend: string): Promise<BackendFacts> {
    return this.#client.backends.get(backend);
  }

  async probe(backend: string): Promise<Probe> {
    return (await this.#client.backends.get(backend)).probe;
  }

  async check({ backend, cwd, command }: Omit<HostRequest, 'prompt'>): Promise<void> {
    refuseCommand(command);
    const { backends } = this.#client;
    if ((await backends.get(backend)).probe.installed) return;
    // The stored probe may be a minute old, and of another folder.
    const { label, probe } = await backends.get(backend, { cwd });
    if (probe.installed || !(await this.#runsAllTasks())) return;
    const why = probe.problems[0]?.message ?? `${label} was not found.`;
    throw new BatonError('backend_not_found', `The daemon cannot run ${label}: ${why}`, {
      hint: `Install it on the daemon's machine: ${probe.install.replace(/\.$/, '')}, or try the built-in agent: --backend demo.`,
    });
  }

  async launch<const Schema extends OutputSchema = OutputSchema>(
    request: HostRequest<Schema>,
  ): Promise<HostedRun<RemoteRun<StructuredOf<Schema>>>> {
    const {
      session,
      command,
      by: _by,
      onLaunch: _onLaunch,
      onPrinted: _onPrinted,
      trusted: _trusted,
      ...rest
    } = request;
    refuseCommand(command);
    const run = await this.#client.launch<Schema>({ ...rest, batonSession: session });
    return hosted(run);
  }

  async join({ taskId }: RunIds, hooks?: JoinHooks): Promise<HostedRun<RemoteRun>> {
    return hosted(await this.#client.join(taskId, hooks));
  }

  async find({ taskId }: RunIds): Promise<FoundRun> {
    const task = await this.#taskOf(taskId);
    if (!task) return { state: 'not_started' };
    if (!isFinal(task.status))
      return { state: task.status === 'QUEUED' ? 'not_started' : 'running' };
    if (task.error?.code !== 'interrupted') return { state: 'ended' };
    const { native_session_id } = await this.#client.sessions.get(task.session_id);
    const { capabilities } = await this.#client.backends.get(task.backend);
    const canContinue = capabilities.features.resume && native_session_id != null;
    return { state: 'interrupted', canContinue, usage: task.usage ?? undefined };
  }

  async stop(ids: RunIds, reason?: string): Promise<RunResult> {
    const { run } = await this.join(ids);
    void run.cancel(reason);
    return run.collect();
  }

  trustOf({ backend, cwd = '' }: Pick<HostRequest, 'backend' | 'cwd'>): Promise<FolderTrust> {
    return this.#client.trustedFolders.check({ folder: cwd, backend });
  }

  async keepTrust(folder: string, trusted: boolean): Promise<void> {
    await this.#client.trustedFolders.create({ folder, trusted });
  }

  /** True if the daemon runs every task itself; otherwise another machine may have the agent. */
  async #runsAllTasks(): Promise<boolean> {
    const { slots } = await this.#client.status.find();
    const daemons = await this.#client.daemons.find();
    return slots > 0 && daemons.filter(({ alive }) => alive).length === 1;
  }

  async #taskOf(taskId: string) {
    try {
      return await this.#client.tasks.get(taskId);
    } catch (error) {
      if (BatonError.is(error) && error.code === 'not_found') return undefined;
      throw error;
    }
  }
}

function hosted<Structured>(run: RemoteRun<Structured>): HostedRun<RemoteRun<Structured>> {
  return { run, sessionId: run.task.session_id, leave: () => run.leave() };
}

function refuseCommand(command: readonly string[] | undefined): void {
  if (!command) return;
  throw new BatonError('capability_missing', 'A daemon does not start commands of a client.', {
    hint: 'Add the agent to "agents" in the configuration of the daemon and use its name as the backend, or run it without a daemon.',
  });
}
