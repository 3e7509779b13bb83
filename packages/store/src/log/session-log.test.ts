import { BatonError, type LogEvent } from '@baton/protocol';
import { expect, test } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { newSession, queuePrompt } from '../testing/session.ts';

onBothEngines('the log of a session', (engine) => {
  test('assigns consecutive numbers to concurrent writes', async () => {
    const store = await engine.open();
    const sessions = await Promise.all([newSession(store), newSession(store)]);
    await Promise.all(
      Array.from({ length: 60 }, (_, n) => queuePrompt(store, sessions[n % 2] ?? '', `${n}`)),
    );
    for (const sessionId of sessions) {
      const { events, hasMore } = await store.log.read(sessionId, 0, 1000);
      expect(events.map(({ cursor }) => cursor)).toEqual(
        Array.from({ length: 31 }, (_, n) => n + 1),
      );
      expect(hasMore).toBe(false);
    }
  });

  test('is read from any cursor on, piece by piece', async () => {
    const store = await engine.open();
    const sessionId = await newSession(store);
    for (let n = 0; n < 40; n++) await queuePrompt(store, sessionId, `${n}`);
    const seen: number[] = [];
    for (let after = 7; ; ) {
      const page = await store.log.read(sessionId, after, 5);
      seen.push(...page.events.map(({ cursor }) => cursor));
      after = seen.at(-1) ?? after;
      if (!page.hasMore) break;
    }
    expect(seen).toEqual(Array.from({ length: 34 }, (_, n) => n + 8));
  });

  test('is returned in pages of limited size', async () => {
    const store = await engine.open();
    const sessionId = await newSession(store);
    const long = 'x'.repeat(300_000);
    for (let n = 0; n < 10; n++) await queuePrompt(store, sessionId, long);
    const page = await store.log.read(sessionId, 0, 1000);
    expect(page.hasMore).toBe(true);
    expect(page.events.length).toBeLessThan(8);
    const rest = await store.log.read(sessionId, page.events.length, 1000);
    const last = page.events.length + rest.events.length;
    expect(rest.events.at(-1)?.cursor).toBe(last);
    expect(last).toBeGreaterThan(8);
  });

  test('keeps every character, also those that a database cannot store', async () => {
    const store = await engine.open();
    const sessionId = await newSession(store);
    const prompt = 'NUL \0, half a pair \ud83d, a whole one 🎼, U+2028 \u2028';
    await queuePrompt(store, sessionId, prompt);
    const { events } = await store.log.read(sessionId, 1, 10);
    expect(events[0]).toMatchObject({ type: 'prompt.queued', prompt });
  });

  test('notifies of committed events only', async () => {
    const store = await engine.open();
    const told: LogEvent['type'][] = [];
    store.wakeUps.on('session', ({ events }) => {
      told.push(...(events ?? []).map(({ type }) => type));
    });
    const sessionId = await newSession(store);
    const refused = store.log.append(sessionId, () => {
      throw new BatonError('conflict', 'No.');
    });
    await expect(refused).rejects.toThrow('No.');
    await queuePrompt(store, sessionId);
    expect(told).toEqual(['session.created', 'prompt.queued']);
  });

  test('continues after a failed decision, as if it had not happened', async () => {
    const store = await engine.open();
    const sessionId = await newSession(store);
    const results = await Promise.allSettled([
      queuePrompt(store, sessionId, 'one'),
      store.log.append(sessionId, () => {
        throw new Error('bad');
      }),
      queuePrompt(store, sessionId, 'two'),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const { events } = await store.log.read(sessionId, 0, 10);
    expect(events.map(({ cursor, type }) => `${cursor} ${type}`)).toEqual([
      '1 session.created',
      '2 prompt.queued',
      '3 prompt.queued',
    ]);
  });

  test('reports a session that does not exist', async () => {
    const store = await engine.open();
    const error = await queuePrompt(store, 'nowhere').catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'not_found', message: 'Session "nowhere" not found.' });
  });

  test('persists across closing and opening the database', async () => {
    const url = await engine.database();
    const store = await engine.open({ url });
    const sessionId = await newSession(store);
    await queuePrompt(store, sessionId);
    await store.close();
    const again = await engine.open({ url });
    await queuePrompt(again, sessionId);
    const { events } = await again.log.read(sessionId, 0, 10);
    expect(events.map(({ cursor }) => cursor)).toEqual([1, 2, 3]);
  });
});
