import type { LogEvent } from '@baton/protocol';
import { openStore, type SessionMoved } from '@baton/store';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSession } from '../commands/create-session.ts';
import type { SeedEvent } from './seed-events.ts';
import { watchSessions } from './session-watch.ts';

const events = (...types: string[]) => types.map((type) => ({ type }) as LogEvent);

test.each<[string, Partial<SessionMoved>, string | undefined]>([
  ['it begins', { events: events('session.created', 'session.changed') }, 'created'],
  ['it changes', { events: events('message.delta', 'session.changed') }, 'patched'],
  ['its queue is paused', { events: events('queue.paused') }, 'patched'],
  ['its agent speaks', { events: events('message.delta') }, undefined],
  ['another daemon begins it', { cursor: 1 }, 'created'],
  ['another daemon queues a prompt', { mayStart: true }, 'patched'],
  ['another daemon writes anything else', {}, undefined],
])('of a session is detected when %s', async (_what, moved, expected) => {
  const store = await openStore({ url: ':memory:' });
  onTestFinished(() => store.close());
  const session = { cwd: '/', backend: 'demo', permissionMode: 'ask' as const };
  const { session_id: sessionId } = await createSession(store, session);
  const told: string[] = [];
  const tell = ({ name }: SeedEvent) => told.push(name);
  watchSessions(store, { isWanted: () => true, tell, onFailure: vi.fn() });
  store.wakeUps.emit('session', { sessionId, cursor: 5, mayStart: false, ...moved });
  store.wakeUps.emit('session', { sessionId, cursor: 6, mayStart: true });
  await vi.waitFor(() => expect(told).toEqual([...(expected ? [expected] : []), 'patched']));
});
