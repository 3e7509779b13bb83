import { beforeEach, describe, expect, test } from 'vitest';
import { giveToken } from '../../access/give-token.ts';
import { setCheapPassword } from '../../testing/cheap-password.ts';
import { type TestDaemon, testDaemon } from '../../testing/test-daemon.ts';

const PASSWORD = 'correct horse';

let daemon: TestDaemon;
beforeEach(async () => {
  daemon = await testDaemon({ trustProxy: ['loopback'] });
  for (const name of ['the owner', 'the member']) {
    await setCheapPassword(daemon.daemon.store, name, PASSWORD);
  }
});

/** Logs in from an address behind the proxy; gives the status. */
async function login(from: string, body: object): Promise<number> {
  const headers = { 'X-Forwarded-For': from };
  return (await daemon.call('POST', '/authentication', { as: '', body, headers })).status;
}
const password = (from: string, name: string, given = PASSWORD) =>
  login(from, { strategy: 'password', name, password: given });
const link = (from: string, secret: string) => login(from, { strategy: 'link', secret });

async function freshLink(): Promise<string> {
  const { user_id } = (await daemon.call('GET', '/users/me')).body;
  const { store } = daemon.daemon;
  const token = { userId: String(user_id), name: 'l', kind: 'link', role: 'owner' } as const;
  return (await giveToken(store, token)).secret;
}

/** Guesses until there were too many guesses. */
async function guess(from: string, name: string): Promise<number> {
  for (let guesses = 1; ; guesses++) {
    if ((await password(from, name, 'wrong')) === 429) return guesses;
  }
}

test('guessing the password of one account does not lock out others', async () => {
  expect(await guess('1.1.1.1', 'the owner')).toBe(11);
  expect(await password('1.1.1.1', 'the owner')).toBe(429);
  expect(await password('2.2.2.2', 'the owner')).toBe(201);
  expect(await password('1.1.1.1', 'the member')).toBe(201);
});

test('a one-time link works for a client that has guessed too many passwords', async () => {
  const secret = await freshLink();
  await guess('1.1.1.1', 'the owner');
  expect(await link('1.1.1.1', secret)).toBe(201);
});

test('invalid links have their own limit, which does not affect valid ones', async () => {
  const secret = await freshLink();
  const statuses = new Set<number>();
  for (let n = 0; n < 40; n++) statuses.add(await link('1.1.1.1', `wrong ${n}`));
  expect([...statuses]).toEqual([401, 429]);
  expect(await password('1.1.1.1', 'the owner')).toBe(201);
  expect(await link('1.1.1.1', secret)).toBe(201);
});

describe('without a trusted proxy', () => {
  test('the header of a client does not make it another one', async () => {
    daemon = await testDaemon();
    await setCheapPassword(daemon.daemon.store, 'the owner', PASSWORD);
    for (let n = 0; n < 10; n++) await password(`1.1.1.${n}`, 'the owner', 'wrong');
    expect(await password('1.1.1.99', 'the owner', 'wrong')).toBe(429);
  });
});
