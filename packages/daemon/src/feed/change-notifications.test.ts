import { EventEmitter } from 'node:events';
import type { Store } from '@baton/store';
import { expect, onTestFinished, test } from 'vitest';
import { ChangeNotifications } from './change-notifications.ts';

function desk(engine: Store['engine'] = 'sqlite') {
  const wakeUps = new EventEmitter();
  const news = new ChangeNotifications({ wakeUps, engine } as unknown as Store);
  onTestFinished(() => news.close());
  return { news, moved: (sessionId: string) => wakeUps.emit('session', { sessionId }), wakeUps };
}

test('the first call refreshes everything, later ones return changes', async () => {
  const { news, moved } = desk();
  moved('a');
  const first = await news.next(undefined, 1000);
  expect(first).toMatchObject({ everything: true, session_ids: [] });
  moved('b');
  moved('c');
  moved('b');
  const second = await news.next(first.after, 1000);
  expect(second).toMatchObject({ everything: false, session_ids: ['b', 'c'] });
  expect(await news.next(second.after, 0)).toMatchObject({ everything: false, session_ids: [] });
});

test('who waits is woken by the first news', async () => {
  const { news, moved } = desk();
  const { after } = await news.next(undefined, 0);
  const waiting = news.next(after, 30_000);
  moved('a');
  expect(await waiting).toMatchObject({ session_ids: ['a'], everything: false });
});

test('waiting and later calls are notified of changed users', async () => {
  const { news, moved } = desk();
  const { after } = await news.next(undefined, 0);
  const waiting = news.next(after, 30_000);
  news.peopleChanged();
  moved('a');
  expect(await waiting).toMatchObject({ people: true, everything: false });
  const later = await news.next(after, 30_000);
  expect(later).toMatchObject({ people: true, session_ids: ['a'] });
  moved('b');
  expect(await news.next(later.after, 0)).toMatchObject({ people: false, session_ids: ['b'] });
});

test('who waits is let go when the daemon ends', async () => {
  const { news } = desk();
  const { after } = await news.next(undefined, 0);
  const waiting = news.next(after, 30_000);
  news.close();
  expect(await waiting).toMatchObject({ session_ids: [] });
});

test('after a gap in the notifications, everything is refreshed', async () => {
  const { news, moved, wakeUps } = desk();
  const { after } = await news.next(undefined, 0);
  moved('a');
  wakeUps.emit('all');
  moved('b');
  expect(await news.next(after, 0)).toMatchObject({ everything: true });
});

test('a client that was away too long refreshes everything', async () => {
  const { news, moved } = desk();
  const { after } = await news.next(undefined, 0);
  for (let index = 0; index <= 1000; index += 1) moved(`s${index}`);
  const late = await news.next(after, 0);
  expect(late).toMatchObject({ everything: true });
  moved('a');
  expect(await news.next(late.after, 0)).toMatchObject({ everything: false, session_ids: ['a'] });
});

test('a place from another daemon means nothing', async () => {
  const [one, other] = [desk(), desk()];
  const { after } = await other.news.next(undefined, 0);
  expect(await one.news.next(after, 1000)).toMatchObject({ everything: true });
  expect(await one.news.next('nonsense', 1000)).toMatchObject({ everything: true });
});

test.each([
  ['sqlite', false],
  ['postgres', true],
] as const)(
  'after a wait in vain, everything is to be looked at where news can get lost: %s %s',
  async (engine, everything) => {
    const { news } = desk(engine);
    const { after } = await news.next(undefined, 0);
    expect(await news.next(after, 1)).toMatchObject({ everything, session_ids: [] });
    expect(await news.next(after, 0)).toMatchObject({ everything: false });
  },
);
