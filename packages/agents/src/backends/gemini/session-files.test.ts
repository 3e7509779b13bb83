import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { consumedBy, protectSessions, sessionReplies } from './session-files.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gemini-sessions-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function write(path: string, content: string): void {
  const file = join(home, '.gemini', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

const now = Date.parse('2026-11-17T10:20:30Z');
const id = '01234567-0000-4000-8000-000000000000';
const chats = 'tmp/project/chats';
const file = (minute: string, shortId = '01234567') =>
  `session-2026-11-17T10-${minute}-${shortId}.jsonl`;
const lines = (...records: object[]) => records.map((each) => JSON.stringify(each)).join('\n');
const setup = { type: 'user', content: [{ text: '<session_context>\nThis is …' }] };
const empty = lines({ sessionId: id }, { $set: { messages: [setup] } });
const full = `${empty}\n${lines({ id: 'm1', type: 'user', content: [{ text: 'Hi' }] })}`;
const add = (name: string, content: string) => write(join(chats, name), content);
const left = () =>
  Object.fromEntries(
    readdirSync(join(home, '.gemini', chats))
      .toSorted()
      .map((name) => [name, readFileSync(join(home, '.gemini', chats, name), 'utf8')]),
  );

test('a resumed session of this minute gets the name of an earlier one', () => {
  add(file('20'), full);
  add(file('20', '89abcdef'), full);
  protectSessions({ HOME: home }, id, now);
  expect(left()).toEqual({ [file('19')]: full, [file('20', '89abcdef')]: full });
});

test('never takes the name of a file that exists', () => {
  const other = `${full}\n${lines({ id: 'm2', type: 'gemini', content: 'Hello' })}`;
  add(file('19'), other);
  add(file('20'), full);
  protectSessions({ HOME: home }, id, now);
  expect(left()).toEqual({ [file('18')]: full, [file('19')]: other });
});

test('an older session and one that is not resumed keep their names', () => {
  add(file('05'), full);
  add(file('20', '89abcdef'), full);
  protectSessions({ HOME: home }, id, now);
  protectSessions({ HOME: home }, undefined, now);
  expect(Object.keys(left())).toEqual([file('05'), file('20', '89abcdef')]);
});

test('an empty file beside the conversation is removed, whichever is resumed', () => {
  for (const resume of [id, undefined, '89abcdef-0000-4000-8000-000000000000']) {
    add(file('05'), full);
    add(file('11'), empty);
    add(file('20'), empty);
    protectSessions({ HOME: home }, resume, now);
    expect(left()).toEqual({ [file('05')]: full });
  }
});

test.each([
  ['a message', lines({ id: 'm9', type: 'gemini', content: 'Hello' })],
  ['a message in a change', lines({ $set: { messages: [{ type: 'user', content: 'Hi' }] } })],
  ['a line that cannot be read', '{"half'],
  ['a record of another kind', lines({ $rewindTo: 'm1' })],
  ['the id of another session', lines({ sessionId: '01234567-9999' })],
])('a file with %s is kept', (_name, line) => {
  const kept = _name.startsWith('the id') ? line : `${empty}\n${line}`;
  add(file('05'), full);
  add(file('11'), kept);
  protectSessions({ HOME: home }, id, now);
  expect(left()).toEqual({ [file('05')]: full, [file('11')]: kept });
});

test('an empty file that is the only one of its session is kept: its process may still run', () => {
  add(file('11'), empty);
  protectSessions({ HOME: home }, undefined, now);
  expect(left()).toEqual({ [file('11')]: empty });
});

test('counts each reply once, with its thoughts and cached input, by model', () => {
  const reply = (reply: string, model: string, tokens: object, more = {}) =>
    lines({ id: reply, type: 'gemini', content: '', tokens, model, ...more });
  const one = { input: 1200, output: 30, cached: 0, thoughts: 1, total: 1231 };
  const two = { input: 1000, output: 43, cached: 100, thoughts: 7, total: 1050 };
  add(
    file('05'),
    [
      full,
      reply('a', 'flash', one),
      reply('a', 'flash', one, { toolCalls: [] }),
      reply('b', 'pro', two),
    ].join('\n'),
  );
  add(file('05', '89abcdef'), reply('c', 'pro', two));
  const { main, all } = sessionReplies(id, { HOME: home });
  expect([...main.keys()]).toEqual(['a', 'b']);
  expect(all).toEqual(main);
  expect(consumedBy(main.values())).toMatchObject({
    usage: {
      inputTokens: 2200,
      cachedInputTokens: 100,
      outputTokens: 81,
      reasoningTokens: 8,
      totalTokens: 2281,
    },
    usageByModel: { flash: { totalTokens: 1231 }, pro: { totalTokens: 1050 } },
  });
  expect(consumedBy([])).toEqual({});
});

test('counts the replies of sub-agents, and of theirs, but not those of other sessions', () => {
  const tokens = { input: 1000, output: 43, cached: 100, thoughts: 7, total: 1050 };
  const reply = (reply: string) => lines({ id: reply, type: 'gemini', tokens, model: 'flash' });
  const other = '89abcdef-0000-4000-8000-000000000000';
  add(file('05'), `${full}\n${reply('main')}`);
  add(join(id, 'sub-1.jsonl'), `${reply('one')}\n${reply('one')}`);
  add(join(id, 'sub-2.jsonl'), reply('two'));
  add(join('sub-1', 'sub-3.jsonl'), reply('three'));
  add(join('sub-3', 'sub-1.jsonl'), reply('one'));
  add(join(other, 'sub-4.jsonl'), reply('four'));
  const { main, all } = sessionReplies(id, { HOME: home });
  expect([...main.keys()]).toEqual(['main']);
  expect([...all.keys()].toSorted()).toEqual(['main', 'one', 'three', 'two']);
  expect(consumedBy(all.values()).usage).toMatchObject({ totalTokens: 4200 });
});

test.each(['..', '../..', '', '.', 'a/b'])('the session "%s" leads to no folder', (session) => {
  const tokens = { input: 1, output: 1 };
  write('tmp/project/reply.jsonl', lines({ id: 'x', type: 'gemini', tokens }));
  add('reply.jsonl', lines({ id: 'y', type: 'gemini', tokens }));
  expect(sessionReplies(session, { HOME: home }).all.size).toBe(0);
});
