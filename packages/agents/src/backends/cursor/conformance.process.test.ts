import { describe, test } from 'vitest';
import { conformanceCases } from '../../../../agent-tools/src/conformance/index.ts';
import { standInSubject } from '../../testing/stand-in/stand-in.ts';
import { cursorEntry } from './index.ts';

const env = { CURSOR_API_KEY: 'a-key' };
const live = await standInSubject(cursorEntry, 'cursor', { env });
const print = await standInSubject(cursorEntry, 'cursor', {
  env,
  transport: 'print',
  lacks: ['streaming', 'images', 'mcp'],
});

describe('a program that prints as Cursor is documented to passes the conformance suite', () => {
  const cases = conformanceCases(print).filter(({ skip }) => skip === undefined);
  for (const { name, run } of cases) test(name, run);
});

/** The protocol itself passes the whole suite elsewhere. */
const OVER_THE_PROTOCOL = [
  'streams the answer in order and gives it whole',
  'keeps thinking apart from the answer',
  'reports what the run consumed',
  'shows a command that fails as an error and goes on',
  'allow-all: nothing is asked',
  'resume goes on with the same session in a new process',
  'an image reaches the model',
  'cancel in the middle of a command: nothing survives',
];

describe('a program that speaks the protocol in the place of Cursor', () => {
  const cases = conformanceCases(live).filter(({ name }) => OVER_THE_PROTOCOL.includes(name));
  for (const { name, run } of cases) test(name, run);
  test('plays all of these cases', ({ expect }) => {
    expect(cases.length).toBe(OVER_THE_PROTOCOL.length);
    expect(cases.filter(({ skip }) => skip !== undefined)).toEqual([]);
  });
});
