import type { ServedPage } from './served-page.ts';

type Asked = { sessionId: string; taskId: string };
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
