import { openStore, type Store } from '@baton/store';
import { expect, onTestFinished, test } from 'vitest';
import { giveToken } from '../access/give-token.ts';
import { changeSession } from '../commands/change-session.ts';
import { createSession } from '../commands/create-session.ts';
import { applyRetention } from './retention.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1);
let time = START;

async function emptyStore(): Promise<Store> {
  time = START;
  const store = await openStore({ url: ':memory:', now: () => time });
  onTestFinished(() => store.close());
  return store;
}

async function archivedSession(store: Store): Promise<string> {
  const session = { cwd: '/', backend: 'demo', permissionMode: 'ask' as const };
  const { session_id } = await createSession(store, session);
  await changeSession(store, session_id, { changes: { archived: true } });
  return session_id;
}

const set = (store: Store, name: string, value: unknown) =>
  store.records.settings.put({ name, value: JSON.stringify(value), updated_at: time });

async function isPrinted(store: Store): Promise<boolean> {
  return (await store.rawOutput.read('t', 0, 1)).length > 0;
}

test('raw output is kept for 14 days by default', async () => {
  const store = await emptyStore();
  await store.rawOutput.append('t', { bytes: Buffer.from('x'), offset: 0, maxBytes: 10 });
  time += 13 * DAY_MS;
  await applyRetention(store);
  expect(await isPrinted(store)).toBe(true);
  time += 2 * DAY_MS;
  await set(store, 'retention.raw_output_days', null);
  await applyRetention(store);
  expect(await isPrinted(store)).toBe(true);
  await set(store, 'retention.raw_output_days', 14);
  expect(await applyRetention(store)).toMatchObject({ rawOutput: 1 });
  expect(await isPrinted(store)).toBe(false);
});

test('archived sessions are kept forever by default', async () => {
  const store = await emptyStore();
  const old = await archivedSession(store);
  time += 400 * DAY_MS;
  const fresh = await archivedSession(store);
  expect(await applyRetention(store)).toMatchObject({ sessions: 0 });
  await set(store, 'retention.archived_days', 365);
  expect(await applyRetention(store)).toMatchObject({ sessions: 1 });
  expect(await store.records.sessions.get(old)).toBeUndefined();
  expect(await store.records.sessions.get(fresh)).toBeDefined();
});

test('a session that was imported in part is forgotten after a day', async () => {
  const [from, store] = [await emptyStore(), await emptyStore()];
  const sessionId = await archivedSession(from);
  await store.imports.take(sessionId, (await from.log.read(sessionId, 0, 1)).events);
  time += DAY_MS;
  expect(await applyRetention(store)).toMatchObject({ imports: 0 });
  time += 1;
  expect(await applyRetention(store)).toMatchObject({ imports: 1 });
});

test('tokens are forgotten 30 days after they were last of use', async () => {
  const store = await emptyStore();
  const token = { userId: 'u', name: 't', kind: 'api' as const, role: 'member' as const };
  await giveToken(store, { ...token, lifeMs: DAY_MS });
  await giveToken(store, token);
  time += 30 * DAY_MS;
  expect(await applyRetention(store)).toMatchObject({ tokens: 0 });
  time += 2 * DAY_MS;
  expect(await applyRetention(store)).toMatchObject({ tokens: 1 });
  expect(await store.records.tokens.count()).toBe(1);
});
