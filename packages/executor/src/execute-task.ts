import { mkdirSync } from 'node:fs';
import { BatonClient } from '@baton/client';
import { Agent } from './agent.ts';
import { carryOut } from './carry-out.ts';
import { nextTask } from './next-task.ts';
import type { ExecutorPayload } from './payload.ts';
import { takeTask } from './take-task.ts';

export type ExecuteOptions = ExecutorPayload & {
  /** Aborting it stops the agent; the end is still reported. */
  signal?: AbortSignal | undefined;
  /** Gets what a person may want to know meanwhile. */
  tell?: ((line: string) => void) | undefined;
};

/** Carries out a task of a daemon, and those that follow on it while the agent is kept ready. */
export async function executeTask(options: ExecuteOptions): Promise<void> {
  const { daemonUrl, token, spoolFolder, signal, tell, mcpServers = {} } = options;
  mkdirSync(spoolFolder, { recursive: true, mode: 0o700 });
  const client = new BatonClient({ url: daemonUrl, token });
  const agent = new Agent({ client, mcpServers, spoolFolder });
  const onSilence = () =>
    tell?.(`No daemon answers at ${daemonUrl} yet. It is tried again for some minutes.`);
  const patience = { signal, onSilence };
  try {
    let start = await takeTask(client, options, patience);
    for (;;) {
      await carryOut(start, { client, agent, spoolFolder, signal, tell });
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

/** A daemon that does not hear it finds out by itself. */
async function sayGoodbye(client: BatonClient): Promise<void> {
  await client.executors.heartbeat({ idle_ms: 0, ended: true }).catch(() => {});
}
