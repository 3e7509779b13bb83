import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findProjectConfig, readConfigFile, userConfigPath } from './config-file.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'config-')));
  path = join(folder, 'baton.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The error that a file with this content gives. */
function refusal(content: string | Buffer): BatonError {
  writeFileSync(path, content);
  try {
    readConfigFile(path);
  } catch (error) {
    if (BatonError.is(error)) return error;
  }
  throw new Error('The file was taken.');
}

/** Returns the error for a file, or an empty text if the file is accepted. */
function complaint(content: string): string {
  writeFileSync(path, content);
  try {
    readConfigFile(path);
    return '';
  } catch (error) {
    return String(error);
  }
}

describe('a good file', () => {
  test('is read', () => {
    writeFileSync(path, '{ "$schema": "x", "model": "m", "timeout": "5m" }');
    expect(readConfigFile(path)).toMatchObject({ path, values: { model: 'm', timeout: '5m' } });
  });

  test('may start with a byte order mark', () => {
    writeFileSync(path, '\uFEFF{ "model": "m" }');
    expect(readConfigFile(path)?.values).toEqual({ model: 'm' });
  });

  test('need not exist', () => {
    expect(readConfigFile(path)).toBeUndefined();
  });
});

describe('a mistake is shown with its line and column', () => {
  test.each<[string, string, string]>([
    ['a missing comma', '{\n  "model": "m"\n  "timeout": 1\n}', '3:3'],
    ['a comma too many', '{\n  "model": "m",\n}', '3:1'],
    ['a missing quote', '{ "model: "m" }', '1:12'],
    ['a word without quotes', '{\n  "model": opus\n}', '2:12'],
    ['single quotes', "{ 'model': 1 }", '1:3'],
    ['a comment', '{\n  // mine\n  "model": "m"\n}', '2:3'],
    ['a file that breaks off', '{\n  "model": "m",\n  "time', '3:8'],
    ['a file that breaks off after a comma', '{\n  "model": "m",\n', '3:1'],
    ['an empty file', '', '1:1'],
    ['a file of white space', '\n\n', '1:1'],
    ['a second value', '{}\n{}', '2:1'],
    ['a number with a leading zero', '{ "maxTurns": 007 }', '1:16'],
    ['a line break in a text', '{ "model": "a\nb" }', '1:14'],
    ['an unknown escape', '{ "model": "\\x" }', '1:14'],
  ])('%s', (_name, content, place) => {
    const error = refusal(content);
    expect(error.code).toBe('config_invalid');
    expect(error.message).toMatch(new RegExp(`^${path}:${place}: `));
    expect(error.message).not.toMatch(/position|in JSON at/);
  });

  test.each(['[]', '"text"', '7', 'null'])('%s is not an object', (content) => {
    expect(refusal(content).message).toBe(`${path} must contain a JSON object.`);
  });

  test('a folder in the place of the file', () => {
    mkdirSync(path);
    expect(() => readConfigFile(path)).toThrow(/Cannot read/);
  });

  test('the place is always inside the file', () => {
    const broken = fc.string({ unit: fc.constantFrom(...'{}[]":,\\ \n01.-etrufalsn'.split('')) });
    fc.assert(
      fc.property(broken, (content) => {
        const [, line, column] = /:(\d+):(\d+): /.exec(complaint(content)) ?? ['', '1', '1'];
        const lines = content.split('\n');
        expect(Number(line)).toBeGreaterThanOrEqual(1);
        expect(Number(line)).toBeLessThanOrEqual(lines.length);
        expect(Number(column)).toBeGreaterThanOrEqual(1);
        expect(Number(column)).toBeLessThanOrEqual((lines[Number(line) - 1]?.length ?? 0) + 1);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the file of a project', () => {
  test('is the nearest one in the repository', () => {
    mkdirSync(join(folder, 'repo/.git'), { recursive: true });
    mkdirSync(join(folder, 'repo/a/b'), { recursive: true });
    writeFileSync(join(folder, 'repo/baton.json'), '{}');
    expect(findProjectConfig(join(folder, 'repo/a/b'))).toBe(join(folder, 'repo/baton.json'));
    writeFileSync(join(folder, 'repo/a/baton.json'), '{}');
    expect(findProjectConfig(join(folder, 'repo/a/b'))).toBe(join(folder, 'repo/a/baton.json'));
  });

  test('is not looked for above the root of the repository', () => {
    mkdirSync(join(folder, 'outer/repo/.git'), { recursive: true });
    writeFileSync(join(folder, 'outer/baton.json'), '{}');
    expect(findProjectConfig(join(folder, 'outer/repo'))).toBeUndefined();
  });

  test('is only that of the folder itself outside a repository', () => {
    mkdirSync(join(folder, 'plain/work'), { recursive: true });
    writeFileSync(join(folder, 'plain/baton.json'), '{}');
    expect(findProjectConfig(join(folder, 'plain/work'))).toBeUndefined();
    expect(findProjectConfig(join(folder, 'plain'))).toBe(join(folder, 'plain/baton.json'));
  });
});

test('the file of the user is in the home folder', () => {
  expect(userConfigPath('/home/me')).toBe('/home/me/.baton/config.json');
});

describe('an unknown setting is ignored with a warning', () => {
  const warnings = (content: string) => {
    writeFileSync(path, content);
    return readConfigFile(path)?.unknown?.join();
  };

  test('that has its place and a suggestion', () => {
    expect(warnings('{\n  "model": "m",\n  "maxturns": 3\n}')).toBe(
      `${path}:3:3: unknown setting "maxturns" is ignored. Did you mean maxTurns?`,
    );
  });

  test('that names the command if it is like no other', () => {
    expect(warnings('{ "xyzzy": 1 }')).toContain('baton config');
  });

  test('also if its name is a value elsewhere, or written in a roundabout way', () => {
    expect(warnings('{ "model": "colour",\n "colour": "red" }')).toContain(':2:2:');
    expect(warnings('{ "c\\u006flour": "red" }')).toMatch(/:1:\d+: unknown setting "colour"/);
  });
});
