import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { authMethod, geminiCredentials, geminiProblems, geminiTrusts } from './gemini-home.ts';

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
