import type { BatonClient } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { expect, test } from 'vitest';
import { defaultFolder } from './default-folder.ts';

test('a task is probably in the folder of the latest one that is still there', async () => {
  const client = machineWith('/home/me', '/old', '/older');
  expect(await defaultFolder(client, ['/gone', '/old', '/older'])).toBe('/old');
});

test('without an existing folder, offers a playground folder', async () => {
  const client = machineWith('/home/me');
  expect(await defaultFolder(client, [])).toBe('/home/me/baton-playground');
  expect(await defaultFolder(client, ['/gone'])).toBe('/home/me/baton-playground');
});

test('an unreachable daemon is not mistaken for a missing folder', async () => {
  const away = async () => {
    throw new BatonError('internal', 'Away.');
  };
  const client = { folders: { find: away } } as unknown as BatonClient;
  await expect(defaultFolder(client, ['/old'])).rejects.toThrow('Away.');
});

/** A machine with some folders; the first is the home of its user. */
function machineWith(home: string, ...others: string[]): BatonClient {
  const find = async ({ path = home } = {}) => {
    if (path !== home && !others.includes(path)) throw new BatonError('not_found', 'None.');
    return { path };
  };
  return { folders: { find } } as unknown as BatonClient;
}
