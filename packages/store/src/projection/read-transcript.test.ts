import { setImmediate } from 'node:timers/promises';
import { type Entry, entryKeyOf, foldTranscript, type LogEvent, nextEntry } from '@baton/protocol';
import { expect, test } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { claimedRun, DONE, message, queuePrompt, STARTED, startedRun } from '../testing/session.ts';
import type { TranscriptPart } from './read-transcript.ts';

const action = { type: 'command' as const, command: 'ls' };

onBothEngines('a part of a transcript', (engine) => {
  test('is of one moment, however much is said while it is read', async () => {
    const store = await engine.open();
    const run = await startedRun(store);
    await run.say(STARTED, { type: 'message.started', messageId: 'open', kind: 'text' });
    const speaking = (async () => {
      for (let index = 0; index < 60; index += 1) {
        const call = { callId: `c${index}`, name: 'shell', action };
        await run.say(
          { type: 'message.delta', messageId: 'open', kind: 'text', text: `${index} ` },
          { type: 'tool.started', ...call },
          ...message(`m${index}`, 'a', 'b'),
          { type: 'tool.completed', ...call, outcome: 'ok' },
        );
      }
    })();
    const parts: TranscriptPart[] = [];
    for (let isOver = false; !isOver; ) {
      parts.push(await store.transcript(run.sessionId, { limit: 20 }));
      isOver = await Promise.race([speaking.then(() => true), setImmediate(false)]);
    }
    const { events } = await store.log.read(run.sessionId, 0, 10_000);
    const whole = foldTranscript(events);
    expect(new Set(parts.map(({ cursor }) => cursor)).size).toBeGreaterThan(1);
    for (const part of parts) {
      const at = foldTranscript(events.filter(({ cursor }) => cursor <= part.cursor));
      expect(part.entries).toEqual(at.slice(-20));
      expect(continued(part, events)).toEqual(whole.slice(-20));
    }
  });

  test('has the prompts of the tasks that start in it, also those queued long before', async () => {
    const store = await engine.open();
    const first = await startedRun(store);
    await first.say(STARTED);
    const second = await queuePrompt(store, first.sessionId, 'Second');
    await first.say(...message('a', 'x'), ...message('b', 'y'), DONE);
    await (await claimedRun(store, second)).say(STARTED, ...message('c', 'z'));
    const part = async (limit: number, before?: number) => {
      const { entries, prompts } = await store.transcript(first.sessionId, { limit, before });
      const words = prompts.map((entry) => entry.kind === 'prompt' && entry.text);
      return [entries.length, ...words];
    };
    expect(await part(3), 'the end of the first, and the second').toEqual([3, 'Second']);
    expect(await part(1), 'the middle of the second').toEqual([1]);
    expect(await part(100), 'everything').toEqual([6]);
    const { entries } = await store.transcript(first.sessionId, { limit: 100 });
    expect(await part(2, entries.at(-2)?.cursor), 'the middle of the first').toEqual([2]);
  });
});

/** The last entries, when the events behind a part go on with it. */
function continued(
  { entries, changing, cursor }: TranscriptPart,
  events: readonly LogEvent[],
): Entry[] {
  const all = new Map([...changing, ...entries].map((entry) => [entry.cursor, entry]));
  const last = new Map([...all.values()].map((entry) => [entry.key, entry]));
  for (const event of events.filter((each) => each.cursor > cursor)) {
    const key = entryKeyOf(event);
    const next = key === undefined ? undefined : nextEntry(last.get(key), event);
    if (!next) continue;
    last.set(next.key, next);
    all.set(next.cursor, next);
  }
  return [...all.values()].sort((one, other) => one.cursor - other.cursor).slice(-20);
}
