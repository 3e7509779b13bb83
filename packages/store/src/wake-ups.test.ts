import { expect, test, vi } from 'vitest';
import { onBothEngines, onPostgres } from './testing/engines.ts';
import { newSession, queuePrompt } from './testing/session.ts';
import { type SessionMoved, WakeUps } from './wake-ups.ts';

onPostgres('daemons on one database', (engine) => {
  test('receive what another one has written', async () => {
    const url = await engine.database();
    const one = await engine.open({ url });
    const two = await engine.open({ url });
    const heard: SessionMoved[] = [];
    two.wakeUps.on('session', (moved) => heard.push(moved));
    const sessionId = await newSession(one);
    await queuePrompt(one, sessionId);
    await vi.waitFor(() =>
      expect(heard).toEqual([
        { sessionId, cursor: 1, mayStart: false },
        { sessionId, cursor: 2, mayStart: true },
      ]),
    );
    await queuePrompt(two, sessionId);
    const { events } = await one.log.read(sessionId, 0, 10);
    expect(events.map(({ cursor }) => cursor)).toEqual([1, 2, 3]);
  });
});

onBothEngines('a daemon', (engine) => {
  test('receives its own changes once, with the events', async () => {
    const store = await engine.open();
    const heard: SessionMoved[] = [];
    store.wakeUps.on('session', (moved) => heard.push(moved));
    const sessionId = await newSession(store);
    expect(heard).toMatchObject([{ sessionId, cursor: 1, events: [{ cursor: 1 }] }]);
  });
});

test('a daemon of the first version does not say whether something may start', () => {
  const wakeUps = new WakeUps('me');
  const heard: SessionMoved[] = [];
  wakeUps.on('session', (moved) => heard.push(moved));
  wakeUps.hear('["another","s",3]');
  wakeUps.hear('["me","s",4]');
  expect(heard).toEqual([{ sessionId: 's', cursor: 3, mayStart: true }]);
});

test('a message that got lost means that anything may have happened', () => {
  const wakeUps = new WakeUps('me');
  const all = vi.fn();
  wakeUps.on('all', all);
  wakeUps.hear('');
  expect(all).toHaveBeenCalledOnce();
});
