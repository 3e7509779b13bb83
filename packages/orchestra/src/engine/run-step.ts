import { MarkerDetector } from '@baton/contracts/marker';
import {
  type AgentEvent,
  type AgentRun,
  BatonError,
  type ErrorInfo,
  type Host,
  type HostRequest,
  type Outcome,
  type PendingRequest,
  type PermissionMode,
  type RequestAnswer,
  type RunIds,
  type RunResult,
  type StepWorkspace,
  type Usage,
  type WorkspaceEvent,
  type WorkspaceRequest,
} from '@baton/protocol';
import type { AgentOptions, AgentStep } from '../chain.ts';

/** One prompt for one agent: an ordinary task in a session of its own. The ids make starting it idempotent. */
export type StepTask = {
  /** The path of the step. */
  step: string;
  chain: string;
  /** The user who started the chain. */
  by?: string | undefined;
  sessionId: string;
  taskId: string;
  backend: string;
  prompt: string;
  /** An absolute path. */
  cwd: string;
  workspace: WorkspaceRequest;
  permissionMode: PermissionMode;
  env?: Record<string, string> | undefined;
  options: AgentOptions;
  command?: string[] | undefined;
  /** The session is there already: the task continues it. */
  continues: boolean;
};

/** End of a task. */
export type TaskEnd = {
  outcome: Outcome;
  output: string;
  structured?: unknown;
  usage?: Usage | undefined;
  error?: ErrorInfo | undefined;
  /** True if the agent printed the completion marker. */
  marker: boolean;
  /** Number of requests that were denied because no user was there to ask. */
  denied?: number | undefined;
};

/** The reason of an abort that leaves the task running, for another process to join. */
export class Detached extends Error {}

/** Answers a request of a step's agent. The signal aborts when the answer is no longer needed. */
export type AskUser = (
  step: string,
  pending: PendingRequest,
  signal: AbortSignal,
) => RequestAnswer | Promise<RequestAnswer>;

export type StepControls = {
  signal: AbortSignal;
  onEvent(event: AgentEvent): void;
  /** Called with the worktree in which the agent works, if it has one. */
  onPlaced(workspace: StepWorkspace): void;
  /** Without it, the users of the host answer. */
  ask?: AskUser | undefined;
  onLaunch?: ((step: string, command: Parameters<OnLaunch>[0]) => void) | undefined;
};

type OnLaunch = NonNullable<HostRequest['onLaunch']>;

/** Rejects if a step cannot run in the host with this backend. Nothing is started. */
export function checkStep(
  host: Host,
  { permissionMode, env, options, command }: AgentStep,
  backend: string,
  cwd: string,
): Promise<void> {
  return host.check({ ...options, backend, cwd, permissionMode, env, command });
}

/**
 * Starts the task of a step, or joins it if it is already there, and waits for its end. An abort stops it. An abort with
 * the reason `Detached` leaves it to its host, and the call rejects with that reason.
 */
export async function runStep(
  host: Host,
  task: StepTask,
  controls: StepControls,
): Promise<TaskEnd> {
  const { signal } = controls;
  // A worktree and its setup take a while, before there is a run to stop.
  const launching = new AbortController();
  const giveUp = () => {
    if (!(signal.reason instanceof Detached)) launching.abort(signal.reason);
  };
  try {
    signal.addEventListener('abort', giveUp);
    const { run, leave } = await host
      .launch(requestOf(task, controls, launching.signal))
      .finally(() => signal.removeEventListener('abort', giveUp));
    const stop = () => {
      if (signal.reason instanceof Detached) leave();
      else void run.cancel();
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const end = await endOf(run, controls.onEvent).finally(() =>
      signal.removeEventListener('abort', stop),
    );
    if (signal.reason instanceof Detached) throw signal.reason;
    return end;
  } catch (error) {
    // The host rejected the request before a run started.
    if (!BatonError.is(error) || error.retryable || error.code === 'lease_lost') throw error;
    return { outcome: 'failed', output: '', error: error.toJSON(), marker: false };
  }
}

/** Reads the end of a task that has ended. */
export async function endOfTask(
  host: Host,
  ids: RunIds,
  onPlaced: StepControls['onPlaced'],
): Promise<TaskEnd> {
  const { run } = await host.join(ids, { onWorkspace: placeListener(onPlaced) });
  return endOf(run, () => {});
}

/** Passes on the worktree in which an agent works, once per worktree. */
function placeListener(onPlaced: StepControls['onPlaced']): (event: WorkspaceEvent) => void {
  let last = '';
  return (event) => {
    if (event.type !== 'workspace.updated' || event.workspace.kind !== 'worktree') return;
    const { workspace_id, branch, base_ref, path, cwd } = event.workspace;
    const place = { workspace_id, branch, base_ref, path, cwd };
    const text = JSON.stringify(place);
    if (text !== last) onPlaced(place);
    last = text;
  };
}

async function endOf(run: AgentRun, onEvent: StepControls['onEvent']): Promise<TaskEnd> {
  const detector = new MarkerDetector();
  let denied = 0;
  for await (const event of run) {
    detector.see(event);
    if (isDeniedForNobody(event)) denied += 1;
    onEvent(event);
  }
  return { ...endFrom(await run.result), marker: detector.found, denied };
}

/** The part of a result that a chain keeps. */
export function endFrom(result: RunResult): Omit<TaskEnd, 'marker'> {
  const { outcome, output, structured, usage, error } = result;
  return { outcome, output, structured, usage, error };
}

function requestOf(
  task: StepTask,
  { ask, onLaunch, onPlaced }: StepControls,
  signal: AbortSignal,
): HostRequest {
  const { step, chain, by, taskId, backend, prompt, cwd, permissionMode, env, command } = task;
  const { workspace } = task;
  return {
    ...task.options,
    ...{ backend, prompt, cwd, permissionMode, env, command, taskId, by },
    ...{ workspace, signal, onWorkspace: placeListener(onPlaced) },
    ...(task.continues ? { session: task.sessionId } : { newSession: task.sessionId }),
    title: `${chain}: ${step}`,
    onRequest: ask && ((pending, context) => ask(step, pending, context.signal)),
    onLaunch: onLaunch && ((command) => onLaunch(step, command)),
  };
}

function isDeniedForNobody(event: AgentEvent): boolean {
  const isResolved = event.type === 'permission.resolved' || event.type === 'question.resolved';
  return isResolved && event.by === 'nobody';
}
