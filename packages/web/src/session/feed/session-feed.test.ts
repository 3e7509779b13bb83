import type { BatonClient } from '@baton/client';
import type { Entry } from '@baton/protocol';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SessionFeed } from './session-feed.ts';

const PAGE = 100;

test('what came before is loaded again after it could not be, and a jump says why it cannot be made', async () => {
  const { client, fail } = daemonWith(250);
  const feed = new SessionFeed(client, 's');
  feed.open();
  await vi.waitFor(() => expect(feed.state()).toMatchObject({ state: 'ready', hasEarlier: true }));
  fail('Not now.');
  await feed.loadEarlier();
  expect(feed.state()).toMatchObject({ isLoadingEarlier: false, pages: 0 });
  expect(feed.state().earlierError).toMatchObject({ message: 'Not now.' });
  await expect(feed.loadBackTo(1)).rejects.toThrow('Not now.');
  fail(undefined);
  await feed.loadBackTo(1);
  expect(feed.state()).toMatchObject({ hasEarlier: false, pages: 2 });
  expect(feed.state().earlierError).toBeUndefined();
  expect(feed.entry(1)).toBeDefined();
});

test('a failed feed can restart', async () => {
  const { client, fail } = daemonWith(1);
  const feed = new SessionFeed(client, 's');
  fail('Not now.');
  feed.open();
  await vi.waitFor(() => expect(feed.state().state).toBe('failed'));
  fail(undefined);
  feed.retry();
  await vi.waitFor(() => expect(feed.state()).toMatchObject({ state: 'ready', error: undefined }));
});

test('the context stays known while the agent works, and is known at its end', async () => {
  vi.stubGlobal('requestAnimationFrame', (act: () => void) => setTimeout(act));
  vi.stubGlobal('cancelAnimationFrame', clearTimeout);
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  const used = { type: 'usage.updated', usage: { contextTokens: 10 } };
  const ended = { type: 'run.completed', usage: { contextTokens: 20, contextWindow: 100 } };
  const { client, tell } = daemonWith(0);
  const feed = new SessionFeed(client, 's');
  feed.open();
  await vi.waitFor(() => expect(feed.state().state).toBe('ready'));
  tell(used);
  await vi.waitFor(() => expect(feed.state().usage).toMatchObject({ contextTokens: 10 }));
  tell(ended);
  await vi.waitFor(() => expect(feed.state().usage).toMatchObject({ contextWindow: 100 }));
  tell(used);
  await vi.waitFor(() =>
    expect(feed.state().usage).toMatchObject({ contextTokens: 10, contextWindow: 100 }),
  );
});

/** A daemon with a session of so many entries, which can be told to fail. */
function daemonWith(count: number) {
  let problem: string | undefined;
  const find = async ({ before = count + 1 }: { before?: number }) => {
    if (problem !== undefined) throw new Error(problem);
    const first = Math.max(1, before - PAGE);
    const entries = Array.from({ length: before - first }, (_, index) => entryAt(first + index));
    return { entries, prompts: [], changing: [], has_earlier: first > 1, cursor: count };
  };
  let told = Promise.withResolvers<object>();
  let cursor = count;
  const follow = async function* () {
    for (;;) {
      const event = await told.promise;
      told = Promise.withResolvers();
      yield event;
    }
  };
  return {
    tell: (event: object) => {
      cursor += 1;
      told.resolve({ cursor, time: cursor, taskId: 't', runId: 'r', seq: cursor, ...event });
    },
    client: { transcript: { find }, follow } as unknown as BatonClient,
    fail: (message: string | undefined) => {
      problem = message;
    },
  };
}

function entryAt(cursor: number): Entry {
  const place = { key: `k${cursor}`, cursor, through: cursor, time: 0, open: false };
  return { ...place, kind: 'notice', level: 'info', code: 'c', message: `${cursor}` };
}
