import type { PendingRecord } from '@baton/client';
import type { RequestAnswer } from '@baton/protocol';
import { vi } from 'vitest';
import type { ServedPage } from './served-page.ts';

type Asked = { sessionId: string; taskId: string };
const PATIENCE = { timeout: 15_000, interval: 100 };
type Where = { cwd?: string; title?: string };

/** Begins a session of the demo agent with a prompt. */
export async function ask(
  { client, work }: ServedPage,
  prompt: string,
  { cwd = work, title }: Where = {},
): Promise<Asked> {
  const session = { cwd, backend: 'demo', ...(title === undefined ? {} : { title }) };
  const { session_id: sessionId } = await client.sessions.create(session);
  const { task_id: taskId } = await client.sessions.executeTask(sessionId, { prompt });
  return { sessionId, taskId };
}

/** A prompt that makes the demo agent go through some steps. */
export function script(...steps: object[]): string {
  return `demo:script ${JSON.stringify(steps)}`;
}

/** Answers what a session asks as soon as it asks, as somebody does in another place; allows it unless told otherwise. */
export async function answerElsewhere(
  { client }: ServedPage,
  session_id: string,
  answerTo: (asked: PendingRecord) => RequestAnswer = () => ({ decision: 'allow', scope: 'once' }),
): Promise<void> {
  const asked = await vi.waitFor(async () => {
    const { data } = await client.permissions.find({ session_id, status: 'pending' });
    if (!data[0]) throw new Error('Nothing is asked.');
    return data[0];
  }, PATIENCE);
  const { task_id, request_id } = asked;
  await client.permissions.answer({ session_id, task_id, request_id, answer: answerTo(asked) });
}
