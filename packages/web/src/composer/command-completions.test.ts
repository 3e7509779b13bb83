import type { BackendRecord } from '@baton/client';
import { expect, test } from 'vitest';
import { commandCompletions } from './command-completions.ts';

const withCommands = (names: readonly string[]) =>
  ({ commands: names.map((name) => ({ name, description: `Does ${name}.` })) }) as BackendRecord;

test('commands of an agent are found behind a slash by how they begin', async () => {
  const [slash, ...others] = commandCompletions(withCommands(['review', 'Resume', 'init']));
  expect([slash?.trigger, others]).toEqual(['/', []]);
  expect(await slash?.find('re')).toEqual([
    { value: 'review', about: 'Does review.' },
    { value: 'Resume', about: 'Does Resume.' },
  ]);
});

test('of many commands the first are offered', async () => {
  const names = Array.from({ length: 50 }, (_, n) => `command-${n}`);
  const [slash] = commandCompletions(withCommands(names));
  expect((await slash?.find(''))?.map(({ value }) => value)).toEqual(names.slice(0, 12));
});

test('an agent that names no commands, or none at all, offers none', () => {
  expect(commandCompletions(withCommands([]))).toEqual([]);
  expect(commandCompletions(undefined)).toEqual([]);
});
