import type { BatonClient } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { expect, test } from 'vitest';
import { usualFolder } from './usual-folder.ts';

test('a task is probably in the folder of the latest one that is still there', async () => {
  const client = machineWith('/home/me', '/old', '/older');
  expect(await usualFolder(client, ['/gone', '/old', '/older'])).toBe('/old');
});

test('without a folder that is there, a folder to play in is offered', async () => {
  const client = machineWith('/home/me');
  expect(await usualFolder(client, [])).toBe('/home/me/baton-playground');
  expect(await usualFolder(client, ['/gone'])).toBe('/home/me/baton-playground');
});

test('a daemon that does not answer is not taken for a folder that is gone', async () => {
  const away = async () => {
    throw new BatonError('internal', 'Away.');
  };
  const client = { folders: { find: away } } as unknown as BatonClient;
  await expect(usualFolder(client, ['/old'])).rejects.toThrow('Away.');
});

/** A machine with some folders; the first is the home of its user. */
function machineWith(home: string, ...others: string[]): BatonClient {
  const find = async ({ path = home } = {}) => {
    if (path !== home && !others.includes(path)) throw new BatonError('not_found', 'None.');
    return { path };
  };
  return { folders: { find } } as unknown as BatonClient;
}
