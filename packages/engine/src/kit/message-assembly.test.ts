import { expect, test } from 'vitest';
import type { EventDraft } from '../definition/dialect.ts';
import { MessageAssembly } from './message-assembly.ts';

const ANSWER = { messageId: 'm1', kind: 'text' } as const;
const THOUGHT = { messageId: 'm2', kind: 'thinking', parentId: 'call', speaker: 'sub' } as const;

function setUp() {
  const drafts: EventDraft[] = [];
  return { drafts, messages: new MessageAssembly((draft) => drafts.push(draft)) };
}

test('starts a message once and completes it', () => {
  const { messages, drafts } = setUp();
  messages.append(THOUGHT, 'Hm');
  messages.append(THOUGHT, '.');
  messages.complete(THOUGHT, 'Hm.');
  const place = { messageId: 'm2', parentId: 'call' };
  expect(drafts).toEqual([
    { type: 'message.started', kind: 'thinking', ...place },
    { type: 'message.delta', text: 'Hm', ...place },
    { type: 'message.delta', text: '.', ...place },
    { type: 'message.completed', text: 'Hm.', ...place },
  ]);
});

test('a whole text alone is a message', () => {
  const { messages, drafts } = setUp();
  messages.complete(ANSWER, 'Hello');
  expect(drafts).toMatchObject([
    { type: 'message.started', kind: 'text' },
    { type: 'message.completed', text: 'Hello' },
  ]);
});

test('an empty message is not reported', () => {
  const { messages, drafts } = setUp();
  messages.append(ANSWER, '');
  messages.complete(ANSWER, '');
  messages.complete(ANSWER);
  expect(drafts).toEqual([]);
});

test('parts are set apart', () => {
  const { messages, drafts } = setUp();
  messages.append(ANSWER, 'a', 0);
  messages.append(ANSWER, 'b', 0);
  messages.append(ANSWER, 'c', 1);
  messages.complete(ANSWER, 'ab', '', 'c');
  expect(drafts.map((draft) => 'text' in draft && draft.text)).toEqual([
    false,
    'a',
    'b',
    '\n\nc',
    'ab\n\nc',
  ]);
});

test('interrupts the open messages of one speaker', () => {
  const { messages, drafts } = setUp();
  messages.append(ANSWER, 'Hal');
  messages.append(THOUGHT, 'Hm');
  drafts.splice(0);
  messages.breakOff('sub');
  expect(drafts).toMatchObject([{ type: 'message.completed', messageId: 'm2', incomplete: true }]);
  messages.breakOffAll();
  expect(drafts[1]).toMatchObject({ messageId: 'm1', incomplete: true });
  messages.breakOffAll();
  expect(drafts).toHaveLength(2);
});

test('forgets open messages silently', () => {
  const { messages, drafts } = setUp();
  messages.append(ANSWER, 'Hal');
  messages.clear();
  messages.complete(ANSWER);
  expect(drafts).toHaveLength(2);
});
