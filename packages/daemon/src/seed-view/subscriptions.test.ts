import { feathers } from '@feathersjs/feathers';
import { type Application, koa } from '@feathersjs/koa';
import { expect, test, vi } from 'vitest';
import '@feathersjs/transport-commons';
import { channels } from '@feathersjs/transport-commons';
import type { SeedView } from './seed-view.ts';
import { type Subscribe, seedSubscriptions } from './subscriptions.ts';

type Stage = { app: Application; follow: ReturnType<typeof vi.fn>; subscribe: Subscribe };

function stage(): Stage {
  const app: Application = koa(feathers());
  app.configure(channels());
  for (const path of ['sessions', 'tasks', 'messages'])
    app.use(path, { find: async () => [] } as never);
  const follow = vi.fn(async () => () => {});
  const subscribe = seedSubscriptions(app, { follow } as unknown as SeedView);
  return { app, follow, subscribe };
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
