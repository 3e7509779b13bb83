import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { login, serveIn } from '../packages/cli/src/testing/served.ts';

/**
 * Attack of an agent on the daemon with its shell: it looks for tokens in every environment and command line that it
 * can read, and tries each of them, and none, on four actions that it must not do.
 */
const ATTACK = `
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
const [url, place, output, ...given] = process.argv.slice(2);
const { answer, other } = JSON.parse(place);
const read = (path) => { try { return readFileSync(path, 'utf8'); } catch { return ''; } };
const texts = readdirSync('/proc').filter((name) => /^\\d+$/.test(name))
  .flatMap((pid) => [read('/proc/' + pid + '/environ'), read('/proc/' + pid + '/cmdline')]);
const found = texts.join('\\0').match(/eyJ[\\w-]+\\.[\\w-]+\\.[\\w-]+|baton_[\\w-]{20,}/g) ?? [];
const tokens = [undefined, ...new Set([...found, ...given])];
const call = async (token, method, path, body, custom) => {
  const headers = { 'Content-Type': 'application/json',
    ...(token ? { Authorization: 'Bearer ' + token } : {}),
    ...(custom ? { 'X-Service-Method': custom } : {}) };
  const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  return response.status;
};
const event = { type: 'notice', seq: 1, time: 1, runId: 'x', level: 'info', code: 'x', message: 'x' };
const results = [];
for (const token of tokens) results.push({
  answer: await call(token, 'POST', '/permissions', answer, 'answer'),
  keys: await call(token, 'GET', '/api-keys'),
  start: await call(token, 'POST', '/sessions', { session_id: other.session_id, prompt: 'Mine.' }, 'executeTask'),
  append: await call(token, 'POST', '/messages', { events: [event] }, 'append'),
});
writeFileSync(output, JSON.stringify(results));
`;
type Tried = { answer: number; keys: number; start: number; append: number };

test('the shell of an agent cannot answer requests, read keys, start tasks or impersonate anyone', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-shell-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'attack.mjs'), ATTACK);
  const served = await serveIn(join(folder, 'state'));
  const token = await login(served);
  const client = new BatonClient({ url: served.url, token });
  onTestFinished(() => client.close());
  const waiting = await client.sessions.create({ cwd: folder, backend: 'demo' });
  await client.sessions.executeTask(waiting.session_id, {
    prompt: 'demo:script [{"shell":"true"}]',
  });
  const asked = await vi.waitFor(async () => {
    const [request] = (await client.permissions.find()).data;
    if (!request) throw new Error('Nobody has asked yet.');
    return request;
  }, 20_000);
  const { session_id, task_id, request_id } = asked;
  const answer = { session_id, task_id, request_id, answer: { decision: 'deny' } };
  const output = join(folder, 'tried.json');
  const args = [served.url, JSON.stringify({ answer, other: waiting }), output];
  const quoted = ['attack.mjs', ...args].map((word) => `'${word}'`).join(' ');

  const { session_id: own } = await client.sessions.create({ cwd: folder, backend: 'demo' });
  const attack = await client.sessions.executeTask(own, {
    prompt: `demo:script ${JSON.stringify([{ shell: `${process.execPath} ${quoted}` }])}`,
    permission_mode: 'allow-all',
  });
  await vi.waitFor(
    async () => expect((await client.tasks.get(attack.task_id)).status).toBe('COMPLETED'),
    20_000,
  );
  const tried = JSON.parse(readFileSync(output, 'utf8')) as Tried[];
  expect(tried.length).toBeGreaterThan(0);
  for (const statuses of tried) {
    for (const status of Object.values(statuses)) expect([401, 403]).toContain(status);
  }
  expect((await client.permissions.find()).total).toBe(1);
  expect((await client.tasks.find({ session_id: waiting.session_id })).total).toBe(1);

  // The same attempts succeed with the token of a person: they can fail.
  execFileSync(process.execPath, [join(folder, 'attack.mjs'), ...args, token]);
  const last = (JSON.parse(readFileSync(output, 'utf8')) as Tried[]).at(-1);
  expect(last).toMatchObject({ answer: 200, keys: 200, start: 200, append: 403 });
});
