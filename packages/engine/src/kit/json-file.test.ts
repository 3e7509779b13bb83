import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readJsonFile, readOptionalJson } from './json-file.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'json-file-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const path = join(FOLDER, 'settings.json');
const missing = join(FOLDER, 'missing.json');

test('reads an object', () => {
  writeFileSync(path, '{"a":1}');
  expect(readJsonFile(path, 'settings file')).toEqual({ a: 1 });
  expect(readOptionalJson(path)).toEqual({ a: 1 });
});

test.each(['[1]', '"text"', '{ broken'])('refuses %s and names the file', (content) => {
  writeFileSync(path, content);
  expect(() => readJsonFile(path, 'settings file')).toThrow(
    expect.objectContaining({
      code: 'config_invalid',
      message: `The settings file is not a JSON object: ${path}`,
    }),
  );
  expect(readOptionalJson(path)).toEqual({});
});

test('refuses a missing file unless it is optional', () => {
  expect(() => readJsonFile(missing, 'MCP configuration')).toThrow(
    expect.objectContaining({
      code: 'config_invalid',
      message: `Cannot read the MCP configuration: ${missing}`,
    }),
  );
  expect(readOptionalJson(missing)).toEqual({});
});
