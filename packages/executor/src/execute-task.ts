import { BatonClient, type ExecutorStart } from '@baton/client';
import { BatonError, type EventOf } from '@baton/protocol';
import { Agent } from './agent.ts';
import { carryOut } from './carry-out.ts';
import { nextTask } from './next-task.ts';
import { type Patience, patiently } from './patience.ts';
import type { ExecutorPayload } from './payload.ts';
import { takeTask } from './take-task.ts';

/** What whoever starts an executor by hand wants to say and to see. */
export type TaskWatch = {
  /** The id of the task that they mean by what they typed. */
  find(client: BatonClient, text: string): Promise<string>;
  began(start: ExecutorStart): void;
  ended(start: ExecutorStart, end: EventOf<'run.completed'>): void;
};

export type ExecuteOptions = ExecutorPayload & {
  /** Aborting it stops the agent; the end is still reported. */
  signal?: AbortSignal | undefined;
  /** Gets what a person may want to know meanwhile. */
  tell?: ((line: string) => void) | undefined;
  watch?: TaskWatch | undefined;
};

/** Carries out a task of a daemon, and those that follow on it while the agent is kept ready. */
export async function executeTask(options: ExecuteOptions): Promise<void> {
  const { daemonUrl, token, spoolFolder, signal, tell, watch, mcpServers = {} } = options;
  const client = new BatonClient({ url: daemonUrl, token, renewsToken: true });
  const agent = new Agent({ client, mcpServers, spoolFolder });
  const onSilence = () =>
    tell?.(`No daemon answers at ${daemonUrl} yet. It is tried again for some minutes.`);
  const patience = { signal, onSilence };
  try {
    const taskId = await meantTask(client, options, patience);
    let start = await takeTask(client, { ...options, taskId }, patience);
    for (;;) {
      watch?.began(start);
      const end = await carryOut(start, { client, agent, spoolFolder, signal, tell });
      watch?.ended(start, end);
      const next = await nextTask(client, start.keep_open_ms, signal);
      if (next === undefined) break;
      client.connection.showToken(next);
      start = await takeTask(client, { daemonUrl, spoolFolder, token: next }, patience);
    }
    await sayGoodbye(client);
  } finally {
    await agent.close();
    client.close();
  }
}

/** The task that a token is for, or else the one that a person named by the first characters of its id. */
async function meantTask(
  client: BatonClient,
  { token, taskId, watch }: ExecuteOptions,
  patience: Patience,
): Promise<string | undefined> {
  const own = taskOfToken(token);
  if (own === undefined) {
    if (taskId === undefined || !watch) return taskId;
    return patiently(() => watch.find(client, taskId), patience);
  }
  if (own.startsWith(taskId ?? '')) return own;
  throw new BatonError('usage', 'The session token is for another task than --task-id.');
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

/** A daemon that does not hear it finds out by itself. */
async function sayGoodbye(client: BatonClient): Promise<void> {
  await client.executors.heartbeat({ idle_ms: 0, ended: true }).catch(() => {});
}
