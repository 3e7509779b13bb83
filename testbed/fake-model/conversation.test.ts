import { expect, test } from 'vitest';
import { type ConversationItem, findPrompt } from './conversation.ts';

const user = (text: string): ConversationItem => ({ by: 'user', text });
const model: ConversationItem = { by: 'model' };
const tool: ConversationItem = { by: 'tool' };

test('a conversation without a key asks for nothing', () => {
  expect(findPrompt([user('hi')])).toEqual({ key: undefined, turns: 0 });
});

test('the key of a prompt is found anywhere in its text', () => {
  expect(findPrompt([user('please [[shell]] now')])).toEqual({ key: 'shell', turns: 0 });
});

test('the last prompt with a key wins, and turns before it do not count', () => {
  const items = [user('[[a]]'), model, tool, model, user('[[b]]'), model];
  expect(findPrompt(items)).toEqual({ key: 'b', turns: 1 });
});

test('texts without a key, such as reminders, do not hide the prompt', () => {
  const items = [user('[[a]]'), model, tool, user('remember the rules')];
  expect(findPrompt(items)).toEqual({ key: 'a', turns: 1 });
});

test('the entries of one turn count once', () => {
  const items = [user('[[a]]'), model, model, model, tool, tool, model];
  expect(findPrompt(items)).toEqual({ key: 'a', turns: 2 });
});
