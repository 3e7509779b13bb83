import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { io } from 'socket.io-client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSession } from '../commands/create-session.ts';
import { queuePrompt } from '../commands/queue-prompt.ts';
import { startDaemon } from '../start-daemon.ts';
import { ownCertificate } from '../testing/own-certificate.ts';
import { testDaemon } from '../testing/test-daemon.ts';

const tls = ownCertificate();

function fetchOver(url: string): Promise<{ status: number; hsts: string | undefined }> {
  return new Promise((resolve, reject) => {
    get(url, { ca: tls.cert }, (response) => {
      response.resume();
      const { statusCode = 0, headers } = response;
      resolve({ status: statusCode, hsts: headers['strict-transport-security'] });
    }).on('error', reject);
  });
}

test('with a certificate everything is encrypted, with HSTS for browsers', async () => {
  const { daemon, tokens } = await testDaemon({ tls });
  expect(daemon.url).toMatch(/^https:\/\//);
  expect(await fetchOver(`${daemon.url}/healthz`)).toEqual({
    status: 200,
    hsts: expect.stringMatching(/^max-age=\d+$/),
  });
  const socket = io(daemon.url, {
    auth: { token: tokens.viewer },
    transports: ['websocket'],
    ca: tls.cert,
  });
  onTestFinished(() => void socket.disconnect());
  const [error, found] = await new Promise<unknown[]>((resolve) => {
    socket.emit('find', 'sessions', {}, (...answer: unknown[]) => resolve(answer));
  });
  expect(error).toBeNull();
  expect(found).toMatchObject({ total: 0 });
});

test('a local executor gets a loopback address that needs no certificate', async () => {
  const state = mkdtempSync(join(tmpdir(), 'baton-tls-'));
  onTestFinished(() => rmSync(state, { recursive: true }));
  const seen = await toldToExecutor(state);
  expect(seen.daemonUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(seen).toMatchObject({ answer: { status: 'ok' }, hsts: null });
  // One that outlives a crash of the daemon looks for it at the same address.
  expect(await toldToExecutor(state)).toEqual(seen);
});

/** Starts a daemon, and returns the URL that its executor gets and the response from that URL. */
async function toldToExecutor(state: string): Promise<{ daemonUrl: string }> {
  const told = join(state, 'told.json');
  rmSync(told, { force: true });
  const script = `
    const { readFileSync, writeFileSync } = require('node:fs');
    const { daemonUrl } = JSON.parse(readFileSync(0, 'utf8'));
    fetch(daemonUrl + '/healthz').then(async (response) =>
      writeFileSync('${told}', JSON.stringify({ daemonUrl, answer: await response.json(),
        hsts: response.headers.get('strict-transport-security') })));`;
  const executors = { command: { file: process.execPath, args: ['-e', script] } };
  const daemon = await startDaemon({ folder: state, port: 0, logLevel: 'silent', tls, executors });
  try {
    const session = { cwd: '/', backend: 'demo', permissionMode: 'ask' as const };
    const { session_id } = await createSession(daemon.store, session);
    await queuePrompt(daemon.store, session_id, { prompt: 'Hi' });
    return await vi.waitFor(() => JSON.parse(readFileSync(told, 'utf8')), 10_000);
  } finally {
    await daemon.close();
  }
}

test('without a certificate nothing is said of encryption', async () => {
  const daemon = await testDaemon();
  const { headers } = await daemon.call('GET', '/healthz');
  expect(headers.get('Strict-Transport-Security')).toBeNull();
});

test('an invalid certificate is an error with a hint', async () => {
  const starting = testDaemon({ tls: { cert: 'nonsense', key: tls.key } });
  await expect(starting).rejects.toMatchObject({ code: 'config_invalid' });
});
