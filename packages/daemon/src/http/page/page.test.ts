import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { testDaemon } from '../../testing/test-daemon.ts';

const SCRIPT = 'console.log("hello");';

function builtPage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'baton-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Baton</title>');
  writeFileSync(join(folder, 'assets/main.js'), SCRIPT);
  writeFileSync(join(folder, 'assets/main.js.gz'), gzipSync(SCRIPT));
  return folder;
}

test('the page and all its views are the same file, with a strict content security policy', async () => {
  const { daemon } = await testDaemon({ pageFolder: builtPage() });
  for (const path of ['/', '/app', '/app/', '/app/sessions/some-id']) {
    const response = await fetch(daemon.url + path);
    expect(response.url).toContain('/app/');
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('Cache-Control')).toBe('no-cache');
    const policy = response.headers.get('Content-Security-Policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(await response.text()).toContain('<title>Baton</title>');
  }
});

test('its files are compressed and immutable, and unknown files are not found', async () => {
  const { daemon } = await testDaemon({ pageFolder: builtPage() });
  const small = await fetch(`${daemon.url}/app/assets/main.js`);
  expect(small.headers.get('Content-Encoding')).toBe('gzip');
  expect(small.headers.get('Cache-Control')).toContain('immutable');
  expect(await small.text()).toBe(SCRIPT);
  const plain = await fetch(`${daemon.url}/app/assets/main.js`, {
    headers: { 'Accept-Encoding': 'identity' },
  });
  expect(plain.headers.get('Content-Encoding')).toBeNull();
  expect(await plain.text()).toBe(SCRIPT);
  expect((await fetch(`${daemon.url}/app/assets/gone.js`)).status).toBe(404);
  expect((await fetch(`${daemon.url}/app/`, { method: 'POST' })).status).toBe(404);
});

test('no path leads out of its folder', async () => {
  const { daemon } = await testDaemon({ pageFolder: builtPage() });
  const { hostname, port } = new URL(daemon.url);
  // `fetch` would tidy the path up.
  const status = await new Promise((resolve, reject) => {
    const path = '/app/assets/../../../../../../../etc/passwd';
    request({ hostname, port, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  expect(status).toBe(404);
});

test('without a built page the address leads to the description of the services', async () => {
  const { daemon } = await testDaemon();
  expect((await fetch(daemon.url)).url).toBe(`${daemon.url}/openapi.json`);
  expect((await fetch(`${daemon.url}/app/`)).status).toBe(404);
});

test('a wrong address is an HTML page for browsers and JSON for programs', async () => {
  const { daemon } = await testDaemon({ pageFolder: builtPage() });
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const get = (path: string, accept: string) =>
    fetch(daemon.url + path, { headers: { Accept: accept } });
  const seen = await get('/wrong/<b>', browser);
  expect(seen.status).toBe(404);
  expect(seen.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  expect(seen.headers.get('Content-Security-Policy')).toContain("default-src 'self'");
  const text = await seen.text();
  expect(text).toContain('href="/app/"');
  // Without one, browsers ask for /favicon.ico.
  expect(text).toContain('<link rel="icon" href="/app/icon.svg"');
  expect(text).not.toMatch(/<script|<b>/);
  for (const accept of ['*/*', 'application/json']) {
    const told = await get('/wrong', accept);
    expect(told.status).toBe(404);
    expect(await told.json()).toMatchObject({ message: 'Not found: /wrong.' });
  }
});
