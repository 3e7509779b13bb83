import type { BatonClient } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { expect, test } from 'vitest';
import { attachedFiles } from './attached-files.ts';

test('attached files come back as they were, without those that were removed since', async () => {
  const get = async (id: string) => {
    if (id === 'gone') throw new BatonError('not_found', 'Gone.');
    const data = Buffer.from('grüße').toString('base64');
    return { name: `${id}.txt`, media_type: 'text/plain', data };
  };
  const client = { attachments: { get } } as unknown as BatonClient;
  const files = await attachedFiles(client, ['one', 'gone']);
  expect(files.map(({ name, type }) => [name, type])).toEqual([['one.txt', 'text/plain']]);
  expect(await files[0]?.text()).toBe('grüße');
});
