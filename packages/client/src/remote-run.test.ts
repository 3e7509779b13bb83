import type { LogEvent, RequestAnswer, TaskRecord } from '@baton/protocol';
import type { Socket } from 'socket.io';
import { expect, onTestFinished, test } from 'vitest';
import { BatonClient } from './baton-client.ts';
import { RemoteRun } from './remote-run.ts';
import { server } from './testing/server.ts';

const TASK = { session_id: 's', task_id: 't', position: 0 } as TaskRecord;
const YES: RequestAnswer = { decision: 'allow', scope: 'once' };
const ASKED = {
  type: 'permission.requested',
  cursor: 1,
  taskId: 't',
  requestId: 'r',
  runId: 't',
} as unknown as LogEvent;

type Callback = (error: unknown, result?: unknown) => void;
type Given = { answer: RequestAnswer };

/** A daemon with a log, of which the connection breaks at the first of some calls: before or after it was made. */
async function brittle(breaks: 'before' | 'after', others?: RequestAnswer) {
  const { io, url } = await server();
  const log: LogEvent[] = [];
  const calls: string[] = [];
  const waiting: (() => void)[] = [];
  const say = (event: object) => {
    log.push({ taskId: 't', requestId: 'r', ...event, cursor: log.length + 1 } as LogEvent);
    for (const tell of waiting.splice(0)) tell();
  };
  const answer = (given: RequestAnswer) => {
    if (log.some(({ type }) => type === 'answer.given')) return { receipt: 'late' };
    say({ type: 'answer.given', answer: { by: 'person', ...given } });
    return { receipt: 'accepted' };
  };
  const once = (socket: Socket, method: string, act: () => unknown, done: Callback) => {
    const isFirst = !calls.includes(method);
    calls.push(method);
    if (!isFirst) return done(null, act());
    if (others) answer(others);
    if (breaks === 'after') act();
    socket.conn.close();
  };
  io.on('connection', (socket) => {
    socket.on('find', (_service, query: { after: number; wait: number }, done: Callback) => {
      const news = () => log.filter(({ cursor }) => cursor > query.after);
      const tell = () => {
        const events = news();
        done(null, { events, cursor: events.at(-1)?.cursor ?? query.after });
      };
      if (query.wait === 0 || news().length > 0) tell();
      else waiting.push(tell);
    });
    socket.on('answer', (_service, { answer: given }: Given, done: Callback) =>
      once(socket, 'answer', () => answer(given), done),
    );
    socket.on('stopTask', (_service, _stop, done: Callback) =>
      once(
        socket,
        'stopTask',
        () => say({ type: 'run.completed', runId: 't', outcome: 'cancelled' }),
        done,
      ),
    );
  });
  const client = new BatonClient({ url });
  onTestFinished(() => client.close());
  return { client, log, calls };
}

test.each(['before', 'after'] as const)(
  'an answer is given although the connection breaks %s it arrived',
  async (breaks) => {
    const { client, calls } = await brittle(breaks);
    const run = new RemoteRun(client, TASK);
    expect(await run.answer('r', YES)).toBe('accepted');
    expect(calls).toEqual(['answer', 'answer']);
  },
);

test('an answer is late when someone else answered differently before', async () => {
  const { client } = await brittle('before', { decision: 'deny' });
  expect(await new RemoteRun(client, TASK).answer('r', YES)).toBe('late');
});

test('an answer survives a broken connection', async () => {
  const { client, log } = await brittle('before');
  log.push(ASKED);
  const run = new RemoteRun(client, TASK, { onRequest: () => YES });
  for await (const event of client.follow('s')) {
    if (event.type === 'answer.given') break;
  }
  expect(run.runId).toBe('t');
  expect(log.at(-1)).toMatchObject({ type: 'answer.given', answer: YES });
});

test('a stop is retried until the daemon has received it', async () => {
  const { client, calls } = await brittle('before');
  const run = new RemoteRun(client, TASK);
  expect(run.isStopHeard).toBe(false);
  expect(await run.cancel()).toMatchObject({ state: 'stopped' });
  expect(run.isStopHeard).toBe(true);
  expect(calls).toEqual(['stopTask', 'stopTask']);
});

test('a collected run reports that the connection was lost, and that it is back', async () => {
  const { io, url } = await server();
  let isFirst = true;
  io.on('connection', (socket) => {
    socket.on('find', (_service, _query, done: Callback) => {
      if (!isFirst) return done(null, { events: [{ ...ASKED, type: 'run.completed' }] });
      isFirst = false;
      socket.conn.close();
    });
  });
  const client = new BatonClient({ url });
  onTestFinished(() => client.close());
  const told: string[] = [];
  const run = new RemoteRun(client, TASK, { onConnection: (state) => told.push(state) });
  await run.collect();
  expect(told).toEqual(['lost', 'back']);
});
