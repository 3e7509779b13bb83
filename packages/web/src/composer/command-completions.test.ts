import type { BackendRecord } from '@baton/client';
import { expect, test, vi } from 'vitest';
import { commandCompletions } from './command-completions.ts';

const withCommands = (names: readonly string[]) =>
  ({
    id: 'claude-cli',
    commands: names.map((name) => ({ name, description: `Does ${name}.` })),
  }) as BackendRecord;

/** A daemon that knows these commands of the agent in a folder; without any it refuses. */
function daemon(names?: readonly string[]) {
  const get = vi.fn(async () => {
    if (!names) throw new Error('refused');
    return withCommands(names);
  });
  return { client: { backends: { get } } as never, get };
}

test('commands of an agent are completed after a slash by prefix', async () => {
  const { client } = daemon();
  const [slash, ...others] = commandCompletions(withCommands(['review', 'Resume', 'init']), {
    client,
    cwd: '/work',
  });
  expect([slash?.trigger, others]).toEqual(['/', []]);
  expect(await slash?.find('re')).toEqual([
    { value: 'review', about: 'Does review.' },
    { value: 'Resume', about: 'Does Resume.' },
  ]);
});

test('commands of the folder are offered, and requested once', async () => {
  const { client, get } = daemon(['review-it', 'review']);
  const [slash] = commandCompletions(withCommands(['review']), { client, cwd: '/work' });
  expect(get).not.toHaveBeenCalled();
  const found = [await slash?.find('rev'), await slash?.find('review-')];
  expect(found.map((all) => all?.map(({ value }) => value))).toEqual([
    ['review-it', 'review'],
    ['review-it'],
  ]);
  expect(get.mock.calls).toEqual([['claude-cli', { cwd: '/work' }]]);
});

test('of many commands the first are offered', async () => {
  const names = Array.from({ length: 50 }, (_, n) => `command-${n}`);
  const [slash] = commandCompletions(withCommands(names), { client: daemon().client, cwd: '' });
  expect((await slash?.find(''))?.map(({ value }) => value)).toEqual(names.slice(0, 12));
});

test('an agent that names no commands, or none at all, offers none', () => {
  const { client } = daemon();
  expect(commandCompletions(withCommands([]), { client, cwd: '' })).toEqual([]);
  expect(commandCompletions(undefined, { client, cwd: '' })).toEqual([]);
});
