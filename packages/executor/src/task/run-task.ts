import { join } from 'node:path';
import type { BatonClient, ExecutorStart } from '@baton/client';
import { widenPermissions } from '@baton/engine/run/widen-permissions';
import { raceTimer } from '@baton/process/time/race-timer';
import {
  type AgentEvent,
  attachmentsName,
  BatonError,
  type ErrorInfo,
  type EventOf,
  type EventType,
  type PermissionMode,
  retryErrors,
} from '@baton/protocol';
import type { ChangeReport } from '@baton/protocol/wire';
import type { AnyTurn, TurnOptions } from '@baton/workspaces';
import type { Agent, TaskHooks } from '../agent/agent.ts';
import { removeAttachments } from '../agent/attachment-files.ts';
import { Steering } from '../agent/steering.ts';
import { TaskEvents } from '../report/task-events.ts';
import { TaskReport } from '../report/task-report.ts';
import { type CommandTarget, followCommands } from './follow-commands.ts';
import { Heartbeat } from './heartbeat.ts';

const TRIES = { attempts: Number.POSITIVE_INFINITY, baseMs: 100, maxMs: 2000 };
/** The length of one long poll. */
const LONGEST_WAIT_MS = 20_000;
const STOPPED = new Error('The task was stopped.');
/** A service manager signals an agent and its executor at the same moment, in any order. */
const SAME_MOMENT_MS = 100;
const SESSION_LOST =
  'The agent has lost its own session, so it continues from an abridged transcript of the conversation.';

/** A turn that is to begin, without the tools of the process that it takes place in. */
export type TurnStart = Omit<TurnOptions, 'home' | 'runSetup' | 'user' | 'onWorktree'>;

type RunTaskOptions = {
  client: BatonClient;
  agent: Agent;
  spoolFolder: string;
  /** Keeps the files of a session before a turn, and after it. */
  beginTurn(turn: TurnStart, start: ExecutorStart): Promise<AnyTurn>;
  /** Aborting it stops the agent, which is reported as the end of the task. */
  signal?: AbortSignal | undefined;
  /** Aborting it only stops the agent: the daemon decides about the task. */
  leave?: AbortSignal | undefined;
  tell?: ((line: string) => void) | undefined;
  /** True if the person who started this executor chose a stricter mode, which users of the daemon may not widen. */
  keepsMode?: boolean | undefined;
};

type RunEnd = EventOf<'run.completed'>;

/**
 * Runs one task: starts the agent, reports every event, passes on answers, stops and steering, and returns the last
 * event. Returns undefined if the task was given back because the machine has no room for its agent.
 */
export function runTask(
  start: ExecutorStart,
  options: RunTaskOptions,
): Promise<RunEnd | undefined> {
  return new TaskRun(start, options).toEnd();
}

class TaskRun {
  #start: ExecutorStart;
  #options: RunTaskOptions;
  #report: TaskReport;
  #events: TaskEvents;
  #heartbeat: Heartbeat;
  /** Aborted when the daemon wants the task to stop. */
  #stop = new AbortController();
  /** Aborted by whatever stops the agent. */
  #ending: AbortSignal;
  #left: Promise<unknown>;
  /** Aborted when no more commands are followed. */
  #orders = new AbortController();
  #target: CommandTarget | undefined;
  #obeying: Promise<void> | undefined;
  #attached: string;
  #turn: AnyTurn | undefined;
  /** The mode that a user has widened the task to. */
  #widened: PermissionMode | undefined;

  constructor(start: ExecutorStart, options: RunTaskOptions) {
    const { client, spoolFolder, tell, signal, leave } = options;
    this.#start = start;
    this.#options = options;
    this.#report = new TaskReport(client, start, { folder: spoolFolder, tell });
    this.#events = new TaskEvents(start);
    this.#attached = join(spoolFolder, attachmentsName(start.task.task_id));
    this.#heartbeat = new Heartbeat(client, start.lease_ms, () => this.#stop.abort(STOPPED));
    this.#stop.signal.addEventListener('abort', () => this.#heartbeat.confirmStop());
    this.#ending = AbortSignal.any(
      [signal, leave, this.#stop.signal].flatMap((each) => each ?? []),
    );
    this.#left = new Promise((resolve) => leave?.addEventListener('abort', resolve));
    // The task was stopped before this process started.
    if (start.task.status === 'STOPPING') this.#stop.abort(STOPPED);
  }

  async toEnd(): Promise<RunEnd | undefined> {
    try {
      const end = (await this.#play(this.#start)) ?? (await this.#playFromTranscript());
      if (!end && this.#isLeaving) throw new BatonError('interrupted', 'The executor was stopped.');
      if (!end) throw new BatonError('internal', 'The run ended without a result.');
      return await this.#finish(end);
    } catch (error) {
      if (!BatonError.is(error)) throw error;
      if (error.code === 'no_resources') return await this.#giveBack(error);
      // The task has ended elsewhere: the rest will not be read.
      if (error.code === 'lease_lost') this.#report.forget();
      if (this.#target || error.code === 'lease_lost') throw error;
      return await this.#fail(error);
    } finally {
      this.#orders.abort();
      this.#heartbeat.stop();
      this.#report.close();
      removeAttachments(this.#attached);
    }
  }

  /** Runs the agent to its end; returns undefined if the agent has lost the session to resume. */
  async #play(start: ExecutorStart): Promise<RunEnd | undefined> {
    const run = await this.#begin(start);
    if (!run) return undefined;
    let end: RunEnd | undefined;
    let hasActed = false;
    for await (const event of run) {
      if (mayBeShutdown(event) && !this.#heartbeat.isStopping) {
        await raceTimer([this.#left], SAME_MOMENT_MS, this.#ending);
      }
      if (this.#isLeaving) continue;
      hasActed ||= ACTIONS.has(event.type);
      const error = event.type === 'run.completed' && !hasActed ? event.error : undefined;
      if (error?.code === 'no_resources') throw errorOf(error);
      if (error?.code === 'session_not_found' && start.resume !== null) return undefined;
      this.#heartbeat.progress();
      await this.#target?.steering.tryAgain();
      if (event.type === 'tool.completed') this.#turn?.progress();
      // The files are kept while the task still counts as running.
      if (event.type === 'run.completed') await this.#turn?.end();
      const reported = this.#events.next(event);
      if (!reported) continue;
      if (reported.type === 'run.completed') end = reported;
      await this.#report.event(reported);
    }
    return end;
  }

  /** Starts the agent, and lets commands of the daemon reach it. */
  async #begin(start: ExecutorStart): Promise<CommandTarget['run'] | undefined> {
    const { client, agent } = this.#options;
    if (!this.#turn) {
      this.#turn = await this.#beginTurn(start);
      // An older daemon has no requests, and the end of the task ends the wait.
      if (start.wants_changes) this.#answerRequests().catch(() => {});
    }
    const placed = startIn(start, this.#turn);
    const hooks: TaskHooks = {
      attached: this.#attached,
      signal: this.#ending,
      onStarting: () => announceStart(client, this.#ending),
      onPrinted: (line, stream) => this.#report.raw.print(line, stream),
    };
    try {
      const run = await agent.run(placed, hooks);
      const steering = new Steering(run);
      if (this.#widened) widenPermissions(run, this.#widened);
      this.#target = Object.assign(this.#target ?? this.#commandTarget(), { run, steering });
      this.#obeying ??= followCommands(client, start, this.#target, this.#orders.signal);
      return run;
    } catch (error) {
      const isLost = BatonError.is(error) && error.code === 'session_not_found';
      if (isLost && start.resume !== null) return undefined;
      throw error;
    }
  }

  /** Keeps the files of the session before the agent changes them. */
  #beginTurn(start: ExecutorStart): Promise<AnyTurn> {
    const { session, task } = start;
    const turn: TurnStart = {
      ownFolders: [...start.isolation.hidden, this.#options.spoolFolder],
      sessionId: session.session_id,
      taskId: task.task_id,
      cwd: session.cwd,
      workspace: session.workspace ?? undefined,
      request: session.workspace_request ?? undefined,
      prompt: task.full_prompt,
      createdBy: session.created_by ?? undefined,
      onEvent: (event) => this.#report.event(this.#events.own(event)),
      ...(start.wants_changes ? { onChanges: (all) => this.#sendChanges(all) } : {}),
      signal: this.#ending,
    };
    return this.#options.beginTurn(turn, start);
  }

  /** The daemon cannot read the files of this machine: without the report it shows only what the agent said. */
  async #sendChanges(reports: readonly ChangeReport[]): Promise<void> {
    const { client, leave } = this.#options;
    try {
      for (const report of reports) {
        await retryErrors(() => client.changes.report(report), {
          ...TRIES,
          ...(leave ? { signal: leave } : {}),
        });
      }
    } catch (error) {
      if (leave?.aborted || !BatonError.is(error) || error.code === 'lease_lost') return;
      const message = `The change of this turn was not sent to the daemon: ${error.message}`;
      const notice = { level: 'warning', code: 'workspace', message } as const;
      await this.#report.event(this.#events.own({ type: 'notice', ...notice }));
    }
  }

  /** Reports the present change whenever somebody wants to see it, until the end of the task. */
  async #answerRequests(): Promise<void> {
    const { client } = this.#options;
    const { signal } = this.#orders;
    const tries = { ...TRIES, signal };
    while (!signal.aborted) {
      const wait = () => client.changes.wait({ wait_ms: LONGEST_WAIT_MS });
      const { is_asked: isAsked } = await retryErrors(wait, tries);
      if (!isAsked || signal.aborted) continue;
      await this.#turn?.refresh();
      await retryErrors(() => client.changes.answer(), tries);
    }
  }

  #commandTarget(): Omit<CommandTarget, 'run' | 'steering'> {
    return {
      nativeRequestId: (id) => this.#events.nativeRequestId(id),
      onWiden: (mode) => this.#widen(mode),
      onStop: () => this.#heartbeat.confirmStop(),
    };
  }

  #widen(mode: PermissionMode): void {
    if (this.#options.keepsMode) return;
    this.#widened = mode;
    if (this.#target) widenPermissions(this.#target.run, mode);
  }

  /** Runs an agent that has lost its own session with a transcript of the conversation. */
  async #playFromTranscript(): Promise<RunEnd | undefined> {
    if (this.#start.resume === null || this.#ending.aborted) return undefined;
    const { client, agent } = this.#options;
    await agent.close();
    const { hand_over } = await retryErrors(() => client.executors.transcript(), TRIES);
    const notice = { level: 'warning', code: 'session_lost', message: SESSION_LOST } as const;
    await this.#report.event(this.#events.own({ type: 'notice', ...notice }));
    return this.#play({ ...this.#start, resume: null, fork: false, hand_over });
  }

  /** True if this process has to end without ending the task. */
  get #isLeaving(): boolean {
    const isStopping = this.#stop.signal.aborted || this.#heartbeat.isStopping;
    return this.#options.leave?.aborted === true && !isStopping;
  }

  async #finish(end: RunEnd): Promise<RunEnd> {
    await this.#report.done();
    this.#orders.abort();
    await this.#obeying;
    return end;
  }

  /** Ends a task whose request the backend rejects before a run starts. */
  async #fail(error: BatonError): Promise<RunEnd> {
    await this.#turn?.end();
    const failed = { outcome: 'failed', output: '', durationMs: 0, error: error.toJSON() } as const;
    const end = this.#events.own({ type: 'run.completed', ...failed }) as RunEnd;
    await this.#report.event(end);
    return this.#finish(end);
  }

  async #giveBack({ message }: BatonError): Promise<undefined> {
    await this.#report.done();
    await retryErrors(() => this.#options.client.executors.giveBack(message), TRIES);
  }
}

/** The task in the folder of its workspace, with the variables of that. */
function startIn(start: ExecutorStart, { cwd, env }: Pick<AnyTurn, 'cwd' | 'env'>): ExecutorStart {
  if (cwd === start.session.cwd && Object.keys(env).length === 0) return start;
  const { options } = start.task;
  const given = options.env as Record<string, string> | undefined;
  return {
    ...start,
    session: { ...start.session, cwd },
    task: { ...start.task, options: { ...options, env: { ...env, ...given } } },
  };
}

/** After one of these a run is not repeated: the agent may have changed something. */
const ACTIONS: ReadonlySet<EventType> = new Set([
  'message.started',
  'tool.started',
  'file.changed',
  'permission.requested',
  'question.requested',
]);

/**
 * True if an event can come from an agent that a service manager stopped. Agents end in many ways on a signal: killed,
 * with an exit code, with a lost connection, or with an answer that breaks off.
 */
function mayBeShutdown(event: AgentEvent): boolean {
  if (event.type === 'run.completed') return event.outcome !== 'done';
  const isRequest = event.type === 'permission.resolved' || event.type === 'question.resolved';
  return isRequest && event.by === 'agent' && event.synthetic === true;
}

function errorOf({ message }: ErrorInfo): BatonError {
  return new BatonError('no_resources', message);
}

/**
 * Reports that the agent is about to start, so that after a crash the daemon knows which tasks no agent has seen.
 * Retries while the daemon is unreachable; a run that is stopped meanwhile starts no agent.
 */
async function announceStart(client: BatonClient, signal: AbortSignal): Promise<void> {
  try {
    await retryErrors(() => client.executors.agentStarting(), { ...TRIES, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
