import { expect, test } from 'vitest';
import { seedExecutor } from '../testing/seed-executor.ts';
import { type TestDaemon, testDaemon } from '../testing/test-daemon.ts';

const MB = 1024 * 1024;
/** No answer of these has more bytes, however long the prompts and inputs of the sessions are. */
const MOST_BYTES = 12 * MB;

async function sizeOf(daemon: TestDaemon, path: string): Promise<number> {
  const { status, body } = await daemon.call('GET', path);
  expect(status).toBe(200);
  return JSON.stringify(body).length;
}

/** A session with this many prompts of a million characters each, none of which has run. */
async function manyPrompts(daemon: TestDaemon, count: number): Promise<string> {
  const sessionId = await daemon.session();
  for (let n = 0; n < count; n += 1) {
    const body = { prompt: `${n} ${'x'.repeat(999_990)}` };
    const { status } = await daemon.call('POST', `/sessions/${sessionId}/executeTask`, { body });
    expect(status).toBe(200);
  }
  return sessionId;
}

test('lists and transcripts are bounded, and every text can be read', async () => {
  const daemon = await testDaemon();
  const sessionId = await manyPrompts(daemon, 30);
  for (const path of [
    '/tasks?limit=1000',
    '/tasks?limit=1000&brief=false',
    `/tasks?session_id=${sessionId}`,
    `/transcript?session_id=${sessionId}&limit=1000`,
    `/messages?session_id=${sessionId}&limit=1000`,
    '/sessions',
  ]) {
    expect(await sizeOf(daemon, path), path).toBeLessThan(MOST_BYTES);
  }
  const { data } = (await daemon.call('GET', '/tasks?limit=1000')).body as { data: Task[] };
  expect(data).toHaveLength(30);
  const { body } = await daemon.call('GET', `/tasks/${data[0]?.task_id}`);
  expect(String(body.full_prompt)).toHaveLength(999_993);
});

type Task = { task_id: string };
type Part = { entries: { cursor: number }[]; has_earlier: boolean };

test('a transcript is read page by page to its beginning', async () => {
  const daemon = await testDaemon();
  const sessionId = await manyPrompts(daemon, 20);
  const seen: number[] = [];
  let pages = 0;
  for (let before = ''; ; pages += 1) {
    const path = `/transcript?session_id=${sessionId}&limit=100${before}`;
    const { entries, has_earlier } = (await daemon.call('GET', path)).body as unknown as Part;
    seen.unshift(...entries.map(({ cursor }) => cursor));
    before = `&before=${entries[0]?.cursor}`;
    if (!has_earlier) break;
  }
  expect(pages).toBeGreaterThan(0);
  expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index + 2));
});

test('a list of requests is bounded', async () => {
  const daemon = await testDaemon();
  const executor = await seedExecutor(daemon);
  for (let n = 0; n < 20; n += 1) await executor.ask(`r${n}`, 'y'.repeat(900_000));
  const { body } = await daemon.call('GET', '/permissions?limit=1000');
  expect(JSON.stringify(body).length).toBeLessThan(MOST_BYTES);
  expect(body.total).toBe(20);
  expect((body.data as object[]).length).toBeGreaterThan(0);
});

test('the length of a prompt is a setting of the owner', async () => {
  const daemon = await testDaemon();
  const sessionId = await daemon.session();
  const send = (length: number) =>
    daemon.call('POST', `/sessions/${sessionId}/executeTask`, {
      body: { prompt: 'x'.repeat(length) },
    });
  expect((await send(1_000_000)).status).toBe(200);
  const refused = await send(1_000_001);
  expect(refused).toMatchObject({
    status: 400,
    body: { message: 'The prompt has 1000001 characters; the limit is 1000000.' },
  });
  const set = (value: number) =>
    daemon.call('PATCH', '/settings/prompts.max_length', { body: { value } });
  expect((await set(2_000_000)).status).toBe(200);
  expect((await send(1_000_001)).status).toBe(200);
  expect((await set(20_000_000)).status).toBe(400);
});
