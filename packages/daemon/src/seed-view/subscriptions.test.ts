import { feathers } from '@feathersjs/feathers';
import { type Application, koa } from '@feathersjs/koa';
import { expect, test, vi } from 'vitest';
import '@feathersjs/transport-commons';
import { channels } from '@feathersjs/transport-commons';
import type { SeedView } from './seed-view.ts';
import { type Subscribe, seedSubscriptions } from './subscriptions.ts';

type Stage = {
  app: Application;
  follow: ReturnType<typeof vi.fn>;
  subscribe: Subscribe;
  maySee: ReturnType<typeof vi.fn>;
};

function stage(): Stage {
  const app: Application = koa(feathers());
  app.configure(channels());
  for (const path of ['sessions', 'tasks', 'messages'])
    app.use(path, { find: async () => [] } as never);
  const follow = vi.fn(async () => () => {});
  const maySee = vi.fn(async () => true);
  const subscribe = seedSubscriptions(app, { follow } as unknown as SeedView, {
    maySee,
    everyMs: 10,
    isOver: () => false,
  });
  return { app, follow, subscribe, maySee };
}

test('a connection that is gone before its subscription stands is not followed for', async () => {
  const { app, follow, subscribe } = stage();
  const stop = vi.fn();
  const begun = Promise.withResolvers<() => void>();
  follow.mockReturnValue(begun.promise);
  const connection = {};
  const subscribing = subscribe('s', connection);
  app.emit('disconnect', connection);
  begun.resolve(stop);
  await subscribing;
  expect(stop).toHaveBeenCalledOnce();
  await subscribe('s', connection);
  expect(follow).toHaveBeenCalledOnce();
});

test('a subscription that failed can be tried again', async () => {
  const { app, follow, subscribe } = stage();
  const connection = {};
  follow.mockRejectedValueOnce(new Error('The database is away.'));
  await expect(subscribe('s', connection)).rejects.toThrow('away');
  await subscribe('s', connection);
  await subscribe('s', connection);
  expect(follow).toHaveBeenCalledTimes(2);
  app.emit('disconnect', connection);
});

test('a connection that may not see a session any more hears nothing of it', async () => {
  const { app, follow, subscribe, maySee } = stage();
  const stop = vi.fn();
  follow.mockResolvedValue(stop);
  const connection = {};
  await subscribe('s', connection);
  const { length } = app.channel('session s');
  expect(length).toBe(1);
  maySee.mockRejectedValueOnce(new Error('The database is away.'));
  await vi.waitFor(() => expect(maySee.mock.calls.length).toBeGreaterThan(1));
  expect(stop).not.toHaveBeenCalled();
  maySee.mockResolvedValue(false);
  await vi.waitFor(() => expect(stop).toHaveBeenCalledOnce());
  expect(app.channel('session s').length).toBe(0);
});
