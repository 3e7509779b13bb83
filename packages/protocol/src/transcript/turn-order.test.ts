import { expect, test } from 'vitest';
import type { LogEvent } from '../session/session-event.ts';
import type { Entry } from './entry.ts';
import { foldTranscript } from './next-entry.ts';
import { TurnOrder } from './turn-order.ts';

const prompt = (taskId: string) => ({
  type: 'prompt.queued',
  taskId,
  prompt: taskId,
  backend: 'demo',
});
const text = (taskId: string, messageId: string) => ({
  type: 'message.completed',
  taskId,
  messageId,
  kind: 'text',
  text: messageId,
});
const stop = (taskId: string) => ({ type: 'stop.requested', taskId });
const end = (taskId: string) => ({ type: 'run.completed', taskId, outcome: 'done', durationMs: 1 });

test('a prompt queued while another one ran is where its turn starts', () => {
  const log = [prompt('a'), text('a', 'x'), prompt('b'), prompt('c'), text('a', 'y'), end('a')];
  expect(shown(...log)).toEqual(['a', 'x', 'y', 'end a', 'b']);
  expect(shown(...log, text('b', 'z'), end('b'))).toEqual([
    ...['a', 'x', 'y', 'end a'],
    ...['b', 'z', 'end b', 'c'],
  ]);
});

test('a prompt that was cancelled in the queue has no turn, only the stop that took it away', () => {
  const order = new TurnOrder();
  const entries = entriesOf(
    prompt('a'),
    prompt('b'),
    prompt('c'),
    stop('b'),
    end('b'),
    text('a', 'x'),
  );
  expect(order.inOrder(entries).map(nameOf)).toEqual(['a', 'stop b', 'x']);
  const [, cancelled, waiting, stopped] = entries;
  expect(order.cancelledBy(stopped?.cursor ?? 0)).toBe(cancelled);
  expect(order.waiting()).toEqual([waiting]);
});

test('a prompt that fails in the queue is before its end', () => {
  const log = [prompt('a'), prompt('b'), end('b'), text('a', 'x')];
  expect(shown(...log)).toEqual(['a', 'b', 'end b', 'x']);
});

test('a turn that was stopped has its end', () => {
  expect(shown(prompt('a'), text('a', 'x'), stop('a'), end('a'))).toEqual([
    ...['a', 'x', 'stop a', 'end a'],
  ]);
});

test('a task whose prompt is not loaded counts as running', () => {
  expect(shown(text('a', 'x'), prompt('b'), text('a', 'y'))).toEqual(['x', 'y']);
});

test('a queued prompt is where its turn starts', () => {
  const [waiting, ...entries] = entriesOf(prompt('b'), text('a', 'x'), end('a'), text('b', 'y'));
  const order = new TurnOrder(waiting ? [waiting] : []).inOrder(entries);
  expect(order.map(({ kind }) => kind)).toEqual(['text', 'result', 'prompt', 'text']);
});

test('the first task of some entries is the running one, not a queued one', () => {
  expect(TurnOrder.firstTask(entriesOf(prompt('b'), text('a', 'x')))).toBe('a');
  expect(TurnOrder.firstTask(entriesOf(prompt('b')))).toBeUndefined();
});

function shown(...bodies: object[]): string[] {
  // One by one, as they come.
  const order = new TurnOrder();
  return entriesOf(...bodies)
    .flatMap((entry) => order.inOrder([entry]))
    .map(nameOf);
}

function entriesOf(...bodies: object[]): Entry[] {
  const events = bodies.map((body, index) => {
    const cursor = index + 1;
    return { runId: 'r', seq: cursor, ...body, cursor, time: cursor } as LogEvent;
  });
  return foldTranscript(events);
}

function nameOf(entry: Entry): string {
  if ('text' in entry) return entry.text;
  return `${entry.kind === 'stop' ? 'stop' : 'end'} ${entry.taskId}`;
}
