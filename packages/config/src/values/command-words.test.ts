import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandWords, programWords } from './command-words.ts';

let folder: string;
let agent: string;
beforeAll(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'command-')), 'my prögrams');
  mkdirSync(folder);
  agent = join(folder, 'an agent');
  writeFileSync(agent, '');
});
afterAll(() => rmSync(join(folder, '..'), { recursive: true }));

test.each([
  ['agent', ['agent']],
  ['  agent  --flag  value ', ['agent', '--flag', 'value']],
  [`agent "a b" 'c d' ''`, ['agent', 'a b', 'c d', '']],
  ['', []],
])('%j has the words %j', (line, words) => {
  expect(commandWords(line)).toEqual(words);
  expect(programWords(line)).toEqual(words);
});

test('the path of a program may have spaces, with and without quotes', () => {
  for (const line of [agent, `"${agent}"`, ` ${agent} `])
    expect(programWords(line)).toEqual([agent]);
  const args = ['--name', 'a b', '/else where'];
  for (const program of [agent, `'${agent}'`]) {
    expect(programWords(`${program} --name "a b" '/else where'`)).toEqual([agent, ...args]);
  }
});

test('words that are not part of an existing path are arguments', () => {
  expect(programWords(`/bin/sh ${agent}`)).toEqual(['/bin/sh', ...agent.split(' ')]);
  expect(programWords('/does not/exist')).toEqual(['/does', 'not/exist']);
  // A folder is no program.
  expect(programWords(folder)).toEqual(folder.split(' '));
});
