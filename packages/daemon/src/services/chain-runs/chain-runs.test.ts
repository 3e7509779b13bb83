import { openStore } from '@baton/store';
import { expect, onTestFinished, test } from 'vitest';
import type { DaemonContext } from '../../context.ts';
import { Feed } from '../../feed/feed.ts';
import { chainRuns } from './chain-runs.ts';

test('a long poll ends with its daemon', async () => {
  const store = await openStore({ url: ':memory:' });
  onTestFinished(() => store.close());
  const run = { run_id: 'run', chain: 'ship', file: '/f', file_hash: 'h', cwd: '/', inputs: '{}' };
  await store.chainRuns.create(
    { ...run, definition: '{}', created_by: null },
    { type: 'chain.started', chain: 'ship', inputs: {} },
  );
  const feed = new Feed(store);
  const { events } = chainRuns({ store, feed } as unknown as DaemonContext).methods;
  const data = { chain_run_id: 'run', after: 1, limit: 10, wait: 600_000 };
  const waiting = events.act({ data } as Parameters<typeof events.act>[0]);
  feed.close();
  expect(await waiting).toEqual({ events: [], seq: 1 });
});
