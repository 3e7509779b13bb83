import { randomUUID } from 'node:crypto';
import type { BatonClient } from '@baton/client';
import type { LogEvent } from '@baton/protocol';

type Body = Record<string, unknown> & { type: string };

const AT_ONCE = 5000;

/** Puts a session into the daemon whose log is made of some events of its agent. */
export async function importSession(
  client: BatonClient,
  cwd: string,
  said: Iterable<Body>,
): Promise<string> {
  const sessionId = randomUUID();
  const events = [...inLog(cwd, said)];
  for (let index = 0; index < events.length; index += AT_ONCE) {
    const piece = events.slice(index, index + AT_ONCE);
    const done = index + AT_ONCE >= events.length;
    await client.imports.create({ session_id: sessionId, events: piece, done });
  }
  return sessionId;
}

/** About so many events of an agent that talks and runs commands. */
export function* talkAndWork(count: number): Generator<Body> {
  for (let turn = 1; turn <= count / 10; turn += 1) {
    const message = { messageId: `m${turn}`, kind: 'text' };
    yield { type: 'message.started', ...message };
    const words = [`Step ${turn}: `, 'I look at the **next** file, ', 'and `run` its tests.'];
    for (const text of words) yield { type: 'message.delta', ...message, text };
    yield { type: 'message.completed', ...message, text: words.join('') };
    const action = { type: 'command', command: `npm test -- part-${turn}` };
    const call = { callId: `c${turn}`, name: 'shell', action };
    yield { type: 'tool.started', ...call, input: { command: action.command } };
    for (let line = 1; line <= 3; line += 1) {
      yield { type: 'tool.updated', callId: call.callId, output: `line ${line} of ${turn}\n` };
    }
    yield { type: 'tool.completed', ...call, action: { ...action, exitCode: 0 }, outcome: 'ok' };
  }
}

function* inLog(cwd: string, said: Iterable<Body>): Generator<LogEvent> {
  const [taskId, runId] = [randomUUID(), randomUUID()];
  let [cursor, seq] = [0, 0];
  const time = Date.now();
  const at = (body: Body) => {
    cursor += 1;
    return { ...body, cursor, time: time + cursor } as unknown as LogEvent;
  };
  const by = (body: Body) => {
    seq += 1;
    return at({ ...body, taskId, runId, seq });
  };
  const backend = { backend: 'demo', permissionMode: 'ask' };
  yield at({ type: 'session.created', cwd, title: 'A long session', ...backend });
  yield at({ type: 'prompt.queued', taskId, prompt: 'Go through all files.', ...backend });
  yield by({ type: 'run.started', backend: 'demo', transport: 'live', cwd });
  let usage: unknown;
  for (const body of said) {
    if (body.type === 'usage.updated') usage = body.usage;
    yield by(body);
  }
  const result = { outcome: 'done', output: 'Done.', durationMs: 1000 };
  yield by({ type: 'run.completed', ...result, ...(usage ? { usage } : {}) });
}
