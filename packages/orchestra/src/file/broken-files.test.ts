import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol';
import { expect, test } from 'vitest';
import { loadChains } from './load-chains.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/broken');
/** The lines of the message of each file. */
const EXPECTED: Readonly<Record<string, string[]>> = JSON.parse(
  readFileSync(join(FOLDER, 'expected.json'), 'utf8'),
);
const OTHER = ['expected.json', 'prompt.md'];

test('every broken file has an expected message', () => {
  const files = readdirSync(FOLDER).filter((name) => !OTHER.includes(name));
  expect(files.length).toBeGreaterThan(20);
  expect(Object.keys(EXPECTED).sort()).toEqual(files.sort());
});

test.each(Object.entries(EXPECTED))('%s: %j', (file, lines) => {
  const load = () => loadChains({ file, cwd: FOLDER, env: {} });
  expect(load).toThrow(BatonError);
  try {
    load();
  } catch (error) {
    expect(error).toMatchObject({ code: 'config_invalid' });
    expect((error as BatonError).message.split('\n')).toEqual(lines);
  }
});
