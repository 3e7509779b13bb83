import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  authMethod,
  geminiCredentials,
  geminiProblems,
  geminiTrusts,
  protectSessions,
} from './gemini-home.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gemini-home-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function write(path: string, content: unknown): void {
  const file = join(home, '.gemini', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}
const chosen = (selectedType: string) => ({ security: { auth: { selectedType } } });

describe('credentials', () => {
  test('are a key, or the login of the user', () => {
    expect(geminiCredentials({ env: { HOME: home } }).credentials).toBe('missing');
    expect(geminiCredentials({ env: { HOME: home, GEMINI_API_KEY: 'k' } }).credentials).toBe(
      'found',
    );
    write('oauth_creds.json', {});
    expect(geminiCredentials({ env: { HOME: home } }).credentials).toBe('found');
  });

  test('an address of its own needs a way to log in', () => {
    const env = { HOME: home, GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1' };
    expect(geminiProblems({ env })).toMatchObject([{ code: 'auth_missing' }]);
    expect(geminiProblems({ env: { HOME: home } })).toEqual([]);
    write('settings.json', chosen('gemini-api-key'));
    expect(geminiProblems({ env })).toEqual([]);
  });

  test('a session is told to use the key, unless the user has chosen', () => {
    const env = { HOME: home, GEMINI_API_KEY: 'k' };
    expect(authMethod({ HOME: home })).toBeUndefined();
    expect(authMethod(env)).toBe('gemini-api-key');
    write('settings.json', chosen('oauth-personal'));
    expect(authMethod(env)).toBeUndefined();
  });
});

describe('trust', () => {
  test('the nearest folder that Gemini was told of decides', () => {
    write('trustedFolders.json', {
      '/work': 'TRUST_FOLDER',
      '/work/bad': 'DO_NOT_TRUST',
      '/other/child': 'TRUST_PARENT',
    });
    const trusts = (cwd: string) => geminiTrusts({ env: { HOME: home }, cwd });
    expect(trusts('/work/good')).toBe(true);
    expect(trusts('/work/bad/deep')).toBe(false);
    expect(trusts('/other/sibling')).toBe(true);
    expect(trusts('/elsewhere')).toBeUndefined();
  });

  test('a file that cannot be read says nothing', () => {
    write('trustedFolders.json', '{ broken');
    expect(geminiTrusts({ env: { HOME: home }, cwd: '/work' })).toBeUndefined();
  });
});

describe('the files of sessions', () => {
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
});
