import { feathers } from '@feathersjs/feathers';
import { type Application, koa } from '@feathersjs/koa';
import { expect, test, vi } from 'vitest';
import '@feathersjs/transport-commons';
import { channels } from '@feathersjs/transport-commons';
import type { Principal } from '../access/principal.ts';
import type { SeedView } from './seed-view.ts';
import { Subscriptions } from './subscriptions.ts';

type Stage = {
  app: Application;
  follow: ReturnType<typeof vi.fn>;
  subscriptions: Subscriptions;
  seesSession: ReturnType<typeof vi.fn>;
};

const VIEWER: Principal = { kind: 'user', userId: 'u', role: 'viewer', tokenId: 't' };

function stage(): Stage {
  const app: Application = koa(feathers());
  app.configure(channels());
  for (const path of ['sessions', 'tasks', 'messages'])
    app.use(path, { find: async () => [] } as never);
  const follow = vi.fn(async () => () => {});
  const seesSession = vi.fn(async () => true);
  const subscriptions = new Subscriptions(app, { follow } as unknown as SeedView, {
    principalOf: async () => VIEWER,
    seesSession,
    everyMs: 10,
    isOver: () => false,
  });
  return { app, follow, subscriptions, seesSession };
}

test('a connection that closes before its subscription is ready is not followed', async () => {
  const { app, follow, subscriptions } = stage();
  const stop = vi.fn();
  const begun = Promise.withResolvers<() => void>();
  follow.mockReturnValue(begun.promise);
  const connection = {};
  const subscribing = subscriptions.subscribe('s', connection);
  app.emit('disconnect', connection);
  begun.resolve(stop);
  await subscribing;
  expect(stop).toHaveBeenCalledOnce();
  await subscriptions.subscribe('s', connection);
  expect(follow).toHaveBeenCalledOnce();
});

test('a subscription that failed can be tried again', async () => {
  const { app, follow, subscriptions } = stage();
  const connection = {};
  follow.mockRejectedValueOnce(new Error('The database is away.'));
  await expect(subscriptions.subscribe('s', connection)).rejects.toThrow('away');
  await subscriptions.subscribe('s', connection);
  await subscriptions.subscribe('s', connection);
  expect(follow).toHaveBeenCalledTimes(2);
  app.emit('disconnect', connection);
});

test('a connection that lost access to a session receives nothing of it', async () => {
  const { app, follow, subscriptions, seesSession } = stage();
  const stop = vi.fn();
  follow.mockResolvedValue(stop);
  const connection = {};
  await subscriptions.subscribe('s', connection);
  const { length } = app.channel('session s');
  expect(length).toBe(1);
  seesSession.mockRejectedValueOnce(new Error('The database is away.'));
  await vi.waitFor(() => expect(seesSession.mock.calls.length).toBeGreaterThan(1));
  expect(stop).not.toHaveBeenCalled();
  seesSession.mockResolvedValue(false);
  await vi.waitFor(() => expect(stop).toHaveBeenCalledOnce());
  expect(app.channel('session s').length).toBe(0);
});

test('a connection that is gone before its call acts is forgotten', async () => {
  const { app, follow, subscriptions } = stage();
  const connection = { hearsEvents: true };
  app.emit('disconnect', connection);
  const call = { id: 's', data: undefined, query: undefined, principal: VIEWER, connection };
  await subscriptions.asked('sessions', call);
  expect(follow).not.toHaveBeenCalled();
  expect(subscriptions.hasUsers).toBe(false);
});

test('a session that cannot be followed does not block a call about it', async () => {
  const { app, follow, subscriptions } = stage();
  follow.mockRejectedValue(new Error('The database is away.'));
  const connection = { hearsEvents: true };
  const call = { id: 's', data: undefined, query: undefined, principal: VIEWER, connection };
  await subscriptions.asked('sessions', call);
  expect(app.channel('session s').length).toBe(0);
});
