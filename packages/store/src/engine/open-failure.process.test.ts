import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../open-store.ts';
import { freePort } from '../testing/free-port.ts';
import { startPostgres, type TestPostgres } from '../testing/postgres.ts';
import { openFailure } from './open-failure.ts';
import { outageOf } from './outage.ts';

const SECRET = 'hunter2';

/** Returns the error of a failed open, and checks that it contains no secret. */
async function whyNot(url: string): Promise<{ code: string; message: string; hint: string }> {
  const error = await openStore({ url }).then(
    () => ({ code: 'opened', message: '', hint: '' }),
    (failure) => failure,
  );
  expect(`${error.message} ${error.hint}`).not.toContain(SECRET);
  return error;
}

test('a PostgreSQL that is down is unavailable, with its address and what to do', async () => {
  const port = await freePort();
  for (const host of ['127.0.0.1', 'localhost']) {
    const url = `postgres://baton:${SECRET}@${host}:${port}/baton?password=${SECRET}`;
    expect(await whyNot(url)).toMatchObject({
      code: 'store_unavailable',
      message: `Cannot reach PostgreSQL at postgres://baton@${host}:${port}/baton (ECONNREFUSED).`,
      hint: expect.stringContaining('is running'),
    });
  }
});

describe('a PostgreSQL that runs', () => {
  let server: TestPostgres;
  let url: URL;
  beforeAll(async () => {
    server = await startPostgres();
    url = new URL(await server.database());
  });
  afterAll(() => server.stop(), 60_000);

  test('refuses a wrong password', async () => {
    url.password = SECRET;
    expect(await whyNot(url.href)).toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('rejected the user or password: postgres://postgres@'),
      hint: expect.stringContaining('DATABASE_URL'),
    });
  });

  test('says that it has no such database', async () => {
    url = new URL(await server.database());
    url.pathname = '/nothing';
    expect(await whyNot(url.href)).toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('database does not exist'),
      hint: expect.stringContaining('createdb'),
    });
  });

  test('is unavailable when TLS is required and it has none', async () => {
    url = new URL(await server.database());
    url.search = '?sslmode=require';
    expect(await whyNot(url.href)).toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(
        /^Cannot open the database postgres:\/\/postgres@\S+: The server does not support SSL/,
      ),
      hint: expect.stringContaining('DATABASE_URL'),
      cause: expect.any(Error),
    });
  });
});

test('an address that leads nowhere is unavailable', async () => {
  const failure = Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
  expect(openFailure(failure, `postgres://a:${SECRET}@no.example/x`)).toMatchObject({
    code: 'store_unavailable',
    message: 'Cannot reach PostgreSQL at postgres://a@no.example/x (ENOTFOUND).',
  });
});

test.each([
  ['SQLite', { errcode: 13, message: 'database or disk is full' }],
  ['the system', { code: 'ENOSPC', message: 'ENOSPC: no space left on device, write' }],
])('a full disk is unavailable with a hint, as %s says it', (_who, failure) => {
  expect(outageOf(Object.assign(new Error(failure.message), failure))).toMatchObject({
    code: 'store_unavailable',
    message: 'The disk is full.',
    hint: expect.stringContaining('Free some disk space'),
    retryable: true,
  });
});

test.each([
  `mysql://u:${SECRET}@h/x`,
  `"postgres://u:${SECRET}@h/x"`,
  ` postgres://u:${SECRET}@h/x`,
])('an address of no known database is refused, and no file is made: %s', async (url) => {
  expect(await whyNot(url)).toMatchObject({
    code: 'usage',
    message: expect.stringContaining('DATABASE_URL'),
    hint: expect.stringContaining('postgres://'),
  });
  expect(existsSync(dirname(url))).toBe(false);
});

test('a folder in place of the database file is unavailable, with its path', async () => {
  const path = join(emptyFolder(), 'baton.db');
  mkdirSync(path);
  expect(await whyNot(path)).toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining(`Cannot open the database ${path}: EISDIR`),
    hint: expect.stringContaining('folder'),
    cause: expect.objectContaining({ code: 'EISDIR' }),
  });
});

test('a database file that the user may not write is unavailable, with its path', () => {
  const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  expect(openFailure(denied, '/var/lib/baton.db')).toMatchObject({
    code: 'store_unavailable',
    message: 'Cannot open the database /var/lib/baton.db: EACCES: permission denied',
    hint: expect.stringContaining('read and write'),
    cause: denied,
  });
});

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'baton-open-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
