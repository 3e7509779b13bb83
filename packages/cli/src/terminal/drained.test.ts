import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { drained } from './drained.ts';

const EVENTS = ['drain', 'error', 'close'] as const;

function listeners(stream: Writable): number[] {
  return EVENTS.map((event) => stream.listenerCount(event));
}

/** A stream that nobody reads, with more in it than it wants. */
function full(): PassThrough {
  const stream = new PassThrough({ highWaterMark: 1 });
  stream.on('error', () => {});
  stream.write('more than enough');
  stream.write('more than enough');
  return stream;
}

test('does not wait for a writable stream', async () => {
  await drained(new Writable({ write: (_chunk, _encoding, done) => done() }));
});

test('waits for a full stream until it is read', async () => {
  const stream = full();
  const before = listeners(stream);
  let over = false;
  const waiting = drained(stream).then(() => {
    over = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(over).toBe(false);
  stream.resume();
  await waiting;
  expect(listeners(stream)).toEqual(before);
});

test.each<[string, (stream: PassThrough) => void]>([
  ['breaks', (stream) => stream.destroy(new Error('EPIPE'))],
  ['is closed', (stream) => stream.destroy()],
])('a stream that %s is not waited for any longer', async (_name, act) => {
  const stream = full();
  const waiting = drained(stream);
  act(stream);
  await waiting;
  expect(stream.destroyed).toBe(true);
});

test('does not wait longer than the timeout', async () => {
  const stream = full();
  const before = listeners(stream);
  await drained(stream, Promise.resolve());
  expect(stream.writableNeedDrain).toBe(true);
  expect(listeners(stream)).toEqual(before);
});
