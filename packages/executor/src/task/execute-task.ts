import type { Baton } from '@baton/agents/registry/baton';
import { BatonClient, type ExecutorStart } from '@baton/client';
import { confinement } from '@baton/process/isolation/isolation';
import { BatonError, type EventOf } from '@baton/protocol';
import {
  type AnyTurn,
  beginConfinedTurn,
  confinedPlace,
  type HelperCommand,
  Turn,
  WorkspaceHome,
} from '@baton/workspaces';
import { Agent } from '../agent/agent.ts';
import { type CallOptions, callWithRetry } from '../call-with-retry.ts';
import type { ExecutorPayload } from './payload.ts';
import { runTask, type TurnStart } from './run-task.ts';
import { takeTask } from './take-task.ts';
import { waitForTask } from './wait-for-task.ts';

/** Callbacks for a person who starts an executor by hand. */
export type TaskWatch = {
  /** The id of the task that they mean by what they typed. */
  find(client: BatonClient, text: string): Promise<string>;
  began(start: ExecutorStart): void;
  ended(start: ExecutorStart, end: EventOf<'run.completed'>): void;
};

export type ExecuteOptions = ExecutorPayload & {
  /** The agents; their settings are read for the folder of each task. */
  baton: Baton;
  /** Program that works on files in the isolation of a task; undefined if there is none. */
  helper?: HelperCommand | undefined;
  /** Aborting it stops the agent; the end is still reported. */
  signal?: AbortSignal | undefined;
  /** Aborting it stops the agent and reports nothing: the daemon decides what becomes of the task. */
  leave?: AbortSignal | undefined;
  /** Prints progress for a person. */
  tell?: ((line: string) => void) | undefined;
  watch?: TaskWatch | undefined;
};

/** Carries out a task of a daemon, and those that follow on it while the agent is kept ready. */
export async function executeTask(options: ExecuteOptions): Promise<void> {
  const { baton, daemonUrl, token, spoolFolder, signal, leave, tell, watch } = options;
  const { mcpServers = {} } = options;
  const client = new BatonClient({ url: daemonUrl, token, renewsToken: true });
  const home = new WorkspaceHome();
  const beginTurn = (turn: TurnStart, start: ExecutorStart) =>
    begin(turn, start, { ...options, home });
  const agent = new Agent({ baton, client, mcpServers, spoolFolder });
  const onNoAnswer = () =>
    tell?.(`Cannot reach a daemon at ${daemonUrl}. Retrying for some minutes.`);
  const ending = AbortSignal.any([signal, leave].flatMap((each) => each ?? []));
  const calls = { signal: ending, onNoAnswer };
  try {
    const taskId = await meantTask(client, options, calls);
    let start = await takeTask(client, baton, { ...options, taskId }, calls);
    let keepsMode = options.permissionMode !== undefined;
    for (;;) {
      watch?.began(start);
      const ofTask = {
        client,
        agent,
        beginTurn,
        spoolFolder,
        signal,
        leave,
        tell,
        keepsMode,
      };
      const end = await runTask(start, ofTask);
      // The task was given back: another executor runs it later.
      if (!end) break;
      watch?.ended(start, end);
      const next = await waitForTask(client, start.keep_open_ms, ending);
      if (next === undefined) break;
      client.connection.showToken(next);
      keepsMode = false;
      start = await takeTask(client, baton, { daemonUrl, spoolFolder, token: next }, calls);
    }
    await reportEnd(client);
  } finally {
    await agent.close();
    client.close();
  }
}

/** Begins the turn of a task: in this process, or by a helper in the isolation of the task. */
async function begin(
  turn: TurnStart,
  { isolation: given, task }: ExecutorStart,
  { baton, helper, home, spoolFolder }: ExecuteOptions & { home: WorkspaceHome },
): Promise<AnyTurn> {
  const isolation = { ...given, hidden: [...given.hidden, spoolFolder] };
  const backends = baton.backends();
  const folder = turn.workspace?.path ?? turn.cwd;
  const place = await confinedPlace({ isolation, backends, command: helper }, { folder });
  const confine = await confinement(isolation, { backends, backend: task.backend });
  if (!place || !confine) return Turn.begin({ ...turn, home });
  return beginConfinedTurn({ ...turn, place, confine });
}

/** The task that a token is for, or else the one that a person named by the first characters of its id. */
async function meantTask(
  client: BatonClient,
  { token, taskId, watch }: ExecuteOptions,
  calls: CallOptions,
): Promise<string | undefined> {
  const own = taskOfToken(token);
  if (own === undefined) {
    if (taskId === undefined || !watch) return taskId;
    return callWithRetry(() => watch.find(client, taskId), calls);
  }
  if (own.startsWith(taskId ?? '')) return own;
  throw new BatonError('usage', 'The session token and --task-id name different tasks.');
}

/** The task that a session token names; nothing for the token of a user. The daemon verifies the token. */
function taskOfToken(token: string): string | undefined {
  try {
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
    const { task_id } = JSON.parse(payload) as { task_id?: unknown };
    return typeof task_id === 'string' ? task_id : undefined;
  } catch {
    return undefined;
  }
}

/** A daemon that is unreachable notices by the missing heartbeat. */
async function reportEnd(client: BatonClient): Promise<void> {
  await client.executors.heartbeat({ idle_ms: 0, ended: true }).catch(() => {});
}
