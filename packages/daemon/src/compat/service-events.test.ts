import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type FeathersClient, feathersClient } from '../testing/feathers-client.ts';
import { type SeedExecutor, seedExecutor } from '../testing/seed-executor.ts';
import { type TestDaemon, testDaemon } from '../testing/test-daemon.ts';

let daemon: TestDaemon;
beforeEach(async () => {
  daemon = await testDaemon();
});

const EVENTS = {
  sessions: ['created', 'patched', 'task_stop'],
  tasks: ['created', 'patched'],
  messages: ['created', 'patched', 'permission_resolved', 'streaming:chunk', 'streaming:end'],
};

type Heard = { event: string; data: Record<string, unknown> };

/** Records the events that reach a client which listens to everything and makes no calls. */
function heardBy(client: FeathersClient): Heard[] {
  const heard: Heard[] = [];
  for (const [path, names] of Object.entries(EVENTS)) {
    const service = client.service(path);
    for (const name of names) {
      void service.on(name, (data) => heard.push({ event: `${path} ${name}`, data }));
    }
  }
  return heard;
}

const connected = (token?: string, more: object = {}) =>
  feathersClient(daemon.daemon.url, token, more);
/** Makes a round trip: everything sent to the client before it has then arrived. */
const reached = (client: FeathersClient) =>
  client
    .service('tasks')
    .get?.('x')
    .catch(() => {});
const soon = <Result>(check: () => Result) => vi.waitFor(check, 15_000);
const of = (heard: Heard[], sessionId: string) =>
  heard.filter(({ data }) => data.session_id === sessionId).map(({ event }) => event);
const stop = ({ sessionId, taskId }: SeedExecutor) =>
  daemon.call('POST', `/sessions/${sessionId}/stopTask`, { body: { taskId } });

describe('an executor', () => {
  test.each(['its handshake', 'authentication.create'])(
    'with its token in %s receives only its own session',
    async (how) => {
      const [executor, other] = [await seedExecutor(daemon), await seedExecutor(daemon)];
      const client = connected(how === 'its handshake' ? executor.token : undefined);
      const heard = heardBy(client);
      if (how !== 'its handshake') {
        const login = { strategy: 'jwt', accessToken: executor.token };
        await client.service('authentication').create?.(login);
      }
      await reached(client);
      const { message_id } = (await executor.ask('r', 'ls')).body;
      const content = { status: 'approved' };
      await daemon.call('PATCH', `/messages/${message_id}`, { body: { content } });
      await stop(other);
      await daemon.session();
      await stop(executor);
      await soon(() =>
        expect(of(heard, executor.sessionId)).toEqual(
          expect.arrayContaining(['messages permission_resolved', 'sessions task_stop']),
        ),
      );
      expect(heard.find(({ event }) => event === 'sessions task_stop')?.data).toEqual({
        session_id: executor.sessionId,
        task_id: executor.taskId,
        timestamp: expect.any(String),
      });
      await reached(client);
      expect(new Set(heard.map(({ data }) => data.session_id))).toEqual(
        new Set([executor.sessionId]),
      );
    },
  );
});

describe('a user', () => {
  test('receives the sessions that the connection asked about', async () => {
    const executor = await seedExecutor(daemon);
    const other = await seedExecutor(daemon);
    const client = connected(daemon.tokens.viewer);
    const heard = heardBy(client);
    await client.service('messages').find?.({ query: { session_id: executor.sessionId } });
    await other.say('Not for you.');
    await executor.stream('m', 'For');
    await executor.say('For you.', 'm');
    await soon(() =>
      expect(of(heard, executor.sessionId)).toEqual([
        'messages created',
        'messages streaming:chunk',
        'messages patched',
        'messages streaming:end',
      ]),
    );
    await reached(client);
    expect(of(heard, other.sessionId)).toEqual([]);
  });

  test('receives its own prompt', async () => {
    const client = connected(daemon.tokens.member);
    const heard = heardBy(client);
    const session_id = await daemon.session();
    await client.service('sessions', 'executeTask').executeTask?.({ session_id, prompt: 'Hi' });
    await soon(() =>
      expect(of(heard, session_id)).toEqual(
        expect.arrayContaining(['messages created', 'tasks created', 'sessions patched']),
      ),
    );
  });

  test('receives created and changed sessions, each once', async () => {
    const client = connected(daemon.tokens.viewer);
    const heard = heardBy(client);
    await reached(client);
    const [asked, unasked] = [await daemon.session(), await daemon.session()];
    await client.service('sessions').get?.(asked);
    for (const id of [asked, unasked]) {
      await daemon.call('PATCH', `/sessions/${id}`, { body: { title: 'New' } });
    }
    const changes = (id: string) => of(heard, id).filter((event) => event.startsWith('sessions'));
    for (const id of [asked, unasked]) {
      await soon(() => expect(changes(id)).toEqual(['sessions created', 'sessions patched']));
    }
    await reached(client);
    for (const id of [asked, unasked]) expect(changes(id)).toHaveLength(2);
    expect(heard.findLast(({ event }) => event === 'sessions patched')?.data).toMatchObject({
      title: 'New',
    });
  });

  test('receives the last twenty sessions that the connection asked about', async () => {
    const client = connected(daemon.tokens.viewer);
    const heard = heardBy(client);
    const first = await seedExecutor(daemon);
    const last = await seedExecutor(daemon);
    const ask = (id: string) => client.service('sessions').get?.(id);
    await ask(first.sessionId);
    for (let n = 0; n < 19; n++) await ask(await daemon.session());
    await ask(last.sessionId);
    const witness = connected(daemon.tokens.viewer);
    const witnessed = heardBy(witness);
    await witness.service('sessions').get?.(first.sessionId);
    for (const executor of [first, last]) await executor.say('Hi.');
    await soon(() => expect(of(witnessed, first.sessionId)).toContain('messages created'));
    await soon(() => expect(of(heard, last.sessionId)).toContain('messages created'));
    await reached(client);
    expect(of(heard, first.sessionId)).not.toContain('messages created');
  });

  test('receives nothing more when the token is revoked', async () => {
    // A third of this passes before it looks at the token again.
    daemon = await testDaemon({ leaseMs: 3000 });
    const { body } = await daemon.call('POST', '/tokens', { body: { name: 't', role: 'viewer' } });
    const client = connected(String(body.secret));
    const heard = heardBy(client);
    await reached(client);
    await daemon.session();
    await soon(() => expect(heard).toHaveLength(1));
    await daemon.call('DELETE', `/tokens/${body.token_id}`);
    await soon(async () => {
      const before = heard.length;
      await daemon.session();
      await reached(client);
      expect(heard).toHaveLength(before);
    });
  });
});

test('a connection without a token receives nothing', async () => {
  const [client, witness] = [connected(), connected(daemon.tokens.viewer)];
  const [heard, witnessed] = [heardBy(client), heardBy(witness)];
  await reached(client);
  await reached(witness);
  await daemon.session();
  await soon(() => expect(witnessed).toHaveLength(1));
  await reached(client);
  expect(heard).toEqual([]);
});

test('a connection that declines events receives only its subscriptions', async () => {
  const executor = await seedExecutor(daemon);
  const client = connected(daemon.tokens.viewer, { events: false });
  const heard = heardBy(client);
  await client.service('sessions').get?.(executor.sessionId);
  await daemon.session();
  await executor.say('One.');
  const subscribe = { session_id: executor.sessionId };
  await client.service('messages', 'subscribe').subscribe?.(subscribe);
  await executor.say('Two.');
  await soon(() => expect(heard.length).toBeGreaterThan(0));
  expect(heard[0]).toMatchObject({ event: 'messages created', data: { content: 'Two.' } });
});
