import { BatonClient } from '@baton/client';
import type { AgentEvent } from '@baton/protocol';
import { onTestFinished } from 'vitest';
import type { ServedPage } from './served-page.ts';

type Body = Record<string, unknown> & { type: string };

/** An agent that says exactly what a test lets it say, when the test wants it. */
export type HandAgent = {
  sessionId: string;
  taskId: string;
  say(...events: Body[]): Promise<void>;
};

/** Takes a task in the place of an executor; for daemons that run none themselves. */
export async function handAgent({ client, url, work }: ServedPage): Promise<HandAgent> {
  const { session_id } = await client.sessions.create({ cwd: work, backend: 'demo' });
  const { task_id } = await client.sessions.executeTask(session_id, { prompt: 'Stream.' });
  const start = await client.executors.create({ task_id, host: 'here', pid: process.pid });
  const executor = new BatonClient({ url, token: start.token });
  onTestFinished(() => executor.close());
  let seq = 0;
  const runId = crypto.randomUUID();
  const say = async (...events: Body[]) => {
    const said = events.map((body) => {
      seq += 1;
      return { ...body, seq, runId, time: Date.now() } as unknown as AgentEvent;
    });
    await executor.messages.append(said);
  };
  await say({ type: 'run.started', backend: 'demo', transport: 'live', cwd: work });
  return { sessionId: session_id, taskId: task_id, say };
}
