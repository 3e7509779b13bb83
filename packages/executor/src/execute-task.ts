import { BatonClient, type ExecutorStart } from '@baton/client';
import type { EventOf } from '@baton/protocol';
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

/** People name a task by the first characters of its id. */
function meantTask(
  client: BatonClient,
  { taskId, watch }: ExecuteOptions,
  patience: Patience,
): Promise<string | undefined> {
  if (taskId === undefined || !watch) return Promise.resolve(taskId);
  return patiently(() => watch.find(client, taskId), patience);
}

/** A daemon that does not hear it finds out by itself. */
async function sayGoodbye(client: BatonClient): Promise<void> {
  await client.executors.heartbeat({ idle_ms: 0, ended: true }).catch(() => {});
}
