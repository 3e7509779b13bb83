import type { BatonClient } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { expect, test } from 'vitest';
import { DraftSession } from './draft-session.ts';

const WANTED = { cwd: '/a', backend: 'demo', permission_mode: 'ask' as const };

test('a retried prompt uses the session that was created for it', async () => {
  const { client, calls } = recorder();
  const begun = new DraftSession();
  expect(await begun.get(client, WANTED)).toBe('s1');
  expect(await begun.get(client, WANTED)).toBe('s1');
  expect(await begun.get(client, { ...WANTED, backend: 'codex' })).toBe('s1');
  expect(calls).toEqual([
    ['create', WANTED],
    ['patch', 's1', { backend: 'codex', permission_mode: 'ask' }],
  ]);
  begun.done();
  expect(await begun.get(client, WANTED)).toBe('s2');
});

test('a session in a folder that was not meant goes into the archive', async () => {
  const { client, calls } = recorder();
  const begun = new DraftSession();
  await begun.get(client, WANTED);
  expect(await begun.get(client, { ...WANTED, cwd: '/b' })).toBe('s2');
  expect(calls.at(-1)).toEqual(['patch', 's1', { archived: true }]);
});

test('a session that is running after all is kept', async () => {
  const { client } = recorder();
  const begun = new DraftSession();
  await begun.get(client, WANTED);
  const refuse = (code: 'conflict' | 'internal') => async () => {
    throw new BatonError(code, 'No.');
  };
  client.sessions.patch = refuse('conflict');
  expect(await begun.get(client, { ...WANTED, cwd: '/b' })).toBe('s2');
  client.sessions.patch = refuse('internal');
  await expect(begun.get(client, WANTED)).rejects.toMatchObject({ code: 'internal' });
});

function recorder() {
  const calls: unknown[][] = [];
  let made = 0;
  const sessions = {
    create: async (session: object) => {
      calls.push(['create', session]);
      made += 1;
      return { session_id: `s${made}` };
    },
    patch: async (...call: unknown[]) => calls.push(['patch', ...call]),
  };
  return { client: { sessions } as unknown as BatonClient, calls };
}
