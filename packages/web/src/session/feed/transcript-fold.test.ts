import type { TranscriptPage } from '@baton/client';
import { type Entry, foldTranscript, type LogEvent, TurnOrder } from '@baton/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TranscriptFold } from './transcript-fold.ts';

type Body = Record<string, unknown> & { type: string };

test('pages and events together are the fold of all events, wherever the pages end', () => {
  fc.assert(
    fc.property(
      sessions,
      fc.nat(),
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.integer({ min: 0, max: 9 })),
      fc.array(fc.boolean(), { minLength: 1 }),
      (events, cut, limit, turns, forgets) => {
        const head = cut % (events.length + 1);
        const fold = new TranscriptFold(pageOf(events.slice(0, head), limit));
        let read = head;
        // Now and then an earlier page, now and then some events, some of them told twice; and some is forgotten.
        for (const turn of [...turns, ...Array.from({ length: events.length }, () => 3)]) {
          if (forgets[read % forgets.length]) fold.forgetEarlier({ entries: limit, text: 20 });
          if (turn < 3) {
            fold.addEarlier(pageOf(events.slice(0, read), limit, fold.first));
          } else {
            fold.apply(events.slice(Math.max(0, read - 2), read + turn));
            read = Math.min(events.length, read + turn);
          }
        }
        for (;;) {
          const page = pageOf(events, limit, fold.first);
          if (page.entries.length === 0) break;
          fold.addEarlier(page);
        }
        expect(fold.entries()).toEqual(foldTranscript(events));
        expect(cursorsIn(fold)).toEqual(cursorsOf(foldTranscript(events)));
        const rows = fold.rows.rows.filter(({ orphansOf }) => orphansOf === undefined);
        const inTurn = new TurnOrder().inOrder(foldTranscript(events));
        expect(cursorsOf(rows)).toEqual(
          cursorsOf(inTurn.filter(({ parentKey }) => parentKey === undefined)),
        );
      },
    ),
  );
});

test('unloaded entries that continue are complete when they are loaded again', () => {
  const shell = { callId: 'c', name: 'shell', action: { type: 'command', command: 'ls' } };
  const begun = [
    { type: 'prompt.queued', prompt: 'Hi', backend: 'demo' },
    { type: 'plan.updated', entries: [{ text: 'One', status: 'pending' }] },
    { type: 'tool.started', ...shell },
    { type: 'message.completed', messageId: 'm', kind: 'text', text: 'Last' },
  ];
  const events = log([
    ...begun,
    { type: 'prompt.edited', prompt: 'Hello' },
    { type: 'plan.updated', entries: [{ text: 'One', status: 'completed' }] },
    { type: 'tool.completed', ...shell, outcome: 'ok', output: 'a' },
  ]);
  const before = events.slice(0, begun.length);
  const fold = new TranscriptFold(pageOf(before, 10));
  fold.forgetEarlier({ entries: 1, text: 100 });
  expect(fold.entries().map(({ kind }) => kind)).toEqual(['text']);
  const late = pageOf(before, 10, fold.first);
  expect(fold.apply(events.slice(begun.length)).hasNewRows).toBe(false);
  fold.addEarlier(late);
  expect(fold.entries()).toEqual(foldTranscript(events));
});

test('a prompt queued during a long turn is before its own turn, however much is loaded', () => {
  const said = (taskId: string, messageId: string) => ({
    ...{ taskId, type: 'message.completed', messageId, kind: 'text', text: messageId },
  });
  const end = (taskId: string) => ({
    taskId,
    type: 'run.completed',
    outcome: 'done',
    durationMs: 1,
  });
  const prompt = (taskId: string) => ({ taskId, type: 'prompt.queued', prompt: taskId });
  const events = log([
    ...[prompt('a'), said('a', '1'), prompt('b'), said('a', '2'), said('a', '3'), end('a')],
    ...[said('b', '4'), end('b')],
  ]);
  const kinds = (fold: TranscriptFold) =>
    fold.rows.rows.map(({ cursor }) => `${fold.entry(cursor)?.taskId} ${fold.entry(cursor)?.kind}`);
  const end4 = ['a text', 'a result', 'b prompt', 'b text', 'b result'];
  expect(kinds(new TranscriptFold(pageOf(events, 4)))).toEqual(end4);
  // The same when it comes as it happens, and what came before is forgotten.
  for (const known of [5, 6, 7, 8]) {
    const fold = new TranscriptFold(pageOf(events.slice(0, known), 10));
    fold.forgetEarlier({ entries: known - 4, text: 100 });
    fold.apply(events);
    fold.forgetEarlier({ entries: 4, text: 100 });
    expect(kinds(fold), `${known} known`).toEqual(end4);
  }
});

test('a pending request is not unloaded', () => {
  const asked = { type: 'permission.requested', requestId: 'r', tool: 'x', scopes: [] };
  const said = (...ids: string[]) =>
    ids.map((messageId) => ({ type: 'message.completed', messageId, kind: 'text', text: 'Hi' }));
  const events = log([...said('1', '2'), asked, ...said('3', '4', '5')]);
  const fold = new TranscriptFold(pageOf(events, 10));
  fold.forgetEarlier({ entries: 1, text: 100 });
  expect(fold.entries().map(({ kind }) => kind)).toEqual(['permission', 'text', 'text', 'text']);
});

test('is full when there is more than the limit, until something is unloaded', () => {
  const said = (text: string) => ({
    type: 'message.completed',
    messageId: text,
    kind: 'text',
    text,
  });
  const events = log(['1', '22', '333'].map(said));
  const fold = new TranscriptFold(pageOf(events.slice(0, 1), 10));
  fold.apply(events);
  const isFull = (entries: number, text: number) => fold.isFull({ entries, text });
  expect([isFull(2, 5), isFull(1, 5), isFull(2, 4)]).toEqual([false, true, true]);
  fold.forgetEarlier({ entries: 10, text: 4 });
  expect(fold.entries()).toHaveLength(1);
  expect(isFull(0, 0)).toBe(false);
});

test('events that change nothing visible keep the rows', () => {
  const events = log([
    { type: 'prompt.queued', prompt: 'Hi', backend: 'demo' },
    { type: 'message.started', messageId: 'm', kind: 'text' },
  ]);
  const fold = new TranscriptFold(pageOf(events, 10));
  const { rows } = fold.rows;
  const more = { type: 'message.delta', messageId: 'm', kind: 'text', text: 'Hello' };
  const touched = fold.apply(log([...events, more]).slice(2));
  expect(fold.rows.rows).toBe(rows);
  expect(touched).toEqual({ entries: new Set([2]), hasNewRows: false });
});

test('what a sub-agent did waits in one row until its own entry is loaded', () => {
  const events = log([
    { type: 'tool.started', callId: 'c', name: 'Task', action: { type: 'subagent' } },
    { type: 'message.completed', messageId: 'a', kind: 'text', text: 'A', parentId: 'c' },
    { type: 'message.completed', messageId: 'b', kind: 'text', text: 'B', parentId: 'c' },
  ]);
  const fold = new TranscriptFold(pageOf(events, 2));
  expect(fold.rows.rows).toEqual([{ id: 't0:tool:c', cursor: 2, orphansOf: 't0:tool:c' }]);
  expect(fold.rows.orphans('t0:tool:c')).toEqual([2, 3]);
  fold.addEarlier(pageOf(events, 2, fold.first));
  expect(fold.rows.rows).toEqual([{ id: '1', cursor: 1 }]);
  expect(fold.rows.children(1)).toEqual([2, 3]);
});

/** Adds the fields of the session log to events. */
function log(bodies: readonly object[]): LogEvent[] {
  return bodies.map((body, index) => {
    const cursor = index + 1;
    return { taskId: 't0', runId: 'r', seq: cursor, ...body, cursor, time: cursor } as LogEvent;
  });
}

/** Builds a page as the daemon returns it for these events. */
function pageOf(events: readonly LogEvent[], limit: number, before?: number): TranscriptPage {
  const all = foldTranscript(events);
  const earlier = all.filter(({ cursor }) => before === undefined || cursor < before);
  const entries = earlier.slice(-limit);
  const first = entries[0]?.cursor ?? 0;
  const ended = new Set(events.map((event) => event.type === 'run.completed' && event.taskId));
  const isChanging = (entry: Entry) =>
    entry.open || (['prompt', 'plan'].includes(entry.kind) && !ended.has(entry.taskId ?? ''));
  const changing = all.filter((entry) => entry.cursor < first && isChanging(entry));
  const begun = new Set(entries.map(({ taskId }) => taskId));
  begun.delete(TurnOrder.firstTask(entries));
  const isPrompt = ({ kind, taskId, cursor }: Entry) =>
    kind === 'prompt' && begun.has(taskId) && cursor < first;
  const prompts = all.filter(isPrompt);
  const has_earlier = earlier.length > entries.length;
  return { entries, prompts, changing, has_earlier, cursor: events.at(-1)?.cursor ?? 0 };
}

function cursorsOf(entries: readonly { cursor: number }[]): number[] {
  return entries.map(({ cursor }) => cursor);
}

function cursorsIn(fold: TranscriptFold): number[] {
  const inside = (cursor: number): number[] => [
    cursor,
    ...fold.rows.children(cursor).flatMap(inside),
  ];
  const all = fold.rows.rows.flatMap(({ cursor, orphansOf }) =>
    orphansOf === undefined ? inside(cursor) : fold.rows.orphans(orphansOf).flatMap(inside),
  );
  return all.sort((one, other) => one - other);
}

const text = fc.string({ maxLength: 4 });
const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');

/** Events of one message, tool call, request or plan, in order. */
const threads: fc.Arbitrary<Body[]> = fc.oneof(
  fc.tuple(name, fc.array(text, { maxLength: 4 }), fc.option(name)).map(([id, parts, parent]) => {
    const of = { messageId: `m${id}`, kind: 'text', ...(parent ? { parentId: `c${parent}` } : {}) };
    return [
      { type: 'message.started', ...of },
      ...parts.map((part) => ({ type: 'message.delta', ...of, text: part })),
      { type: 'message.completed', ...of, text: parts.join('') },
    ];
  }),
  fc.tuple(name, fc.array(text, { maxLength: 3 })).map(([id, parts]) => {
    const of = { callId: `c${id}`, name: 'shell' };
    const action = { type: 'command', command: 'ls' };
    return [
      { type: 'tool.started', ...of, action },
      ...parts.map((output) => ({ type: 'tool.updated', ...of, output })),
      { type: 'tool.completed', ...of, action, outcome: 'ok' },
    ];
  }),
  name.map((id) => [
    { type: 'permission.requested', requestId: `r${id}`, tool: 'x', scopes: [] },
    { type: 'answer.given', requestId: `r${id}`, answer: { decision: 'allow' } },
    { type: 'permission.resolved', requestId: `r${id}`, decision: 'allow', by: 'person' },
  ]),
  fc.array(text, { minLength: 1, maxLength: 3 }).map((steps) =>
    steps.map((step) => ({
      type: 'plan.updated',
      entries: [{ text: step, status: 'pending' }],
    })),
  ),
  text.map((message) => [{ type: 'notice', level: 'info', code: 'retry', message }]),
);

/**
 * Sequential tasks, whose prompts may have been queued while another task ran. The threads of a task are interleaved,
 * but never two with the same id.
 */
const sessions: fc.Arbitrary<LogEvent[]> = fc
  .array(fc.tuple(fc.array(threads, { maxLength: 6 }), fc.array(fc.nat(5)), fc.nat(12)), {
    maxLength: 4,
  })
  .map((tasks) => {
    const all: object[] = [];
    let lastPrompt = -1;
    for (const [index, [mixed, order, ahead]] of tasks.entries()) {
      const taskId = `t${index}`;
      const prompt = { taskId, type: 'prompt.queued', prompt: 'Hi', backend: 'demo' };
      lastPrompt = Math.max(lastPrompt + 1, all.length - ahead);
      all.splice(lastPrompt, 0, prompt);
      all.push(...mix(apart(mixed), order).map((body) => ({ taskId, ...body })));
      all.push({ taskId, type: 'run.completed', outcome: 'done', output: '', durationMs: 1 });
    }
    return log(all);
  });

function apart(all: readonly Body[][]): Body[][] {
  const seen = new Set<string>();
  return all.filter(([first]) => {
    const { messageId, callId, requestId, type } = (first ?? {}) as Partial<
      Record<string, unknown>
    >;
    const id = `${messageId ?? callId ?? requestId ?? type}`;
    if (type === 'notice') return true;
    return !seen.has(id) && seen.add(id);
  });
}

function mix(all: readonly Body[][], order: readonly number[]): Body[] {
  const left = all.map((each) => [...each]);
  const mixed: Body[] = [];
  for (let turn = 0; left.some((each) => each.length > 0); turn += 1) {
    const open = left.filter((each) => each.length > 0);
    const next = open[(order[turn % (order.length || 1)] ?? 0) % open.length]?.shift();
    if (next) mixed.push(next);
  }
  return mixed;
}
