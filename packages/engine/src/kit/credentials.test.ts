import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type CredentialPlace, searchCredentials } from './credentials.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'credentials-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const LOGIN = join(FOLDER, 'login.json');
const STATE = join(FOLDER, 'state.json');
writeFileSync(STATE, '{"account":"a"}');

const hasAccount: CredentialPlace = { file: STATE, holdsLogin: ({ account }) => Boolean(account) };
const hasKey: CredentialPlace = { file: STATE, holdsLogin: ({ key }) => Boolean(key) };

test('an empty variable counts as unset', () => {
  const places = [{ variable: 'BOB_KEY' }, { variable: 'BOB_TOKEN' }];
  expect(searchCredentials(places, { BOB_KEY: '', BOB_TOKEN: 't' })).toEqual({
    credentials: 'found',
    credentialSource: 'BOB_TOKEN',
  });
});

test('reads a file for what the agent would find there', () => {
  expect(searchCredentials([hasKey, hasAccount], {})).toEqual({
    credentials: 'found',
    credentialSource: STATE,
  });
  expect(searchCredentials([hasKey], {})).toEqual({ credentials: 'missing' });
});

test('a file without a predicate only has to exist', () => {
  const place = { file: LOGIN, source: 'login.json' };
  expect(searchCredentials([place], {})).toEqual({ credentials: 'missing' });
  writeFileSync(LOGIN, 'secret');
  expect(searchCredentials([place], {})).toEqual({
    credentials: 'found',
    credentialSource: 'login.json',
  });
});
