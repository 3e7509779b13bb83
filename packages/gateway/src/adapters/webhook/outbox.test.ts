import { expect, test } from 'vitest';
import { Outbox } from './outbox.ts';

const MB = 1024 * 1024;
const file = (bytes: number) => ({ name: 'a', mediaType: 'a/b', content: new Uint8Array(bytes) });

test('forgets the oldest messages when their files are too large together', () => {
  const outbox = new Outbox();
  for (let index = 0; index < 20; index++) {
    outbox.add('webhook:1', { text: '', replyTo: `${index}`, files: [file(5 * MB)] }, `${index}`);
  }
  const isKept = (index: number) => outbox.repliesTo('webhook:1', `${index}`).length === 1;
  expect(Array.from({ length: 20 }, (_, index) => isKept(index)).indexOf(true)).toBe(8);
  expect(isKept(19)).toBe(true);
});

test('forgets the oldest of many messages', () => {
  const outbox = new Outbox();
  for (let index = 0; index < 5001; index++) {
    outbox.add('webhook:1', { text: 'hi', replyTo: `${index}` }, `${index}`);
  }
  expect(outbox.repliesTo('webhook:1', '0')).toEqual([]);
  expect(outbox.repliesTo('webhook:1', '1')).toHaveLength(1);
});

test('takes an edit of a message that an earlier process sent', () => {
  const outbox = new Outbox();
  const buttons = [[{ label: 'Yes', value: 'y', style: 'primary' as const }]];
  outbox.edit('webhook:1', 'earlier', { text: 'Run it?', buttons });
  expect(outbox.requestsIn('webhook:1')).toMatchObject([{ message: 'earlier', text: 'Run it?' }]);
  outbox.edit('webhook:2', 'earlier', { text: 'Another channel' });
  expect(outbox.requestsIn('webhook:1')).toHaveLength(1);
});
