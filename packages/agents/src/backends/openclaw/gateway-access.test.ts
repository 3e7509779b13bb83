import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { agentIdOf, gatewayAccess, isExposed, isLoopback } from './gateway-access.ts';

const LOCAL = 'ws://127.0.0.1:18789';
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'openclaw-access-'));
  mkdirSync(join(home, '.openclaw'));
});
afterEach(() => rmSync(home, { recursive: true }));

function configure(text: string, path = join(home, '.openclaw/openclaw.json')): void {
  writeFileSync(path, text);
}
const access = (env: Record<string, string>) =>
  gatewayAccess({ env: { OPENCLAW_GATEWAY_URL: LOCAL, ...env }, home });

describe('the address', () => {
  test.each([
    ['ws://127.0.0.1:18789', 'ws://127.0.0.1:18789/'],
    ['http://localhost:1', 'ws://localhost:1/'],
    ['https://gw.test/path', 'wss://gw.test/path'],
  ])('%s becomes %s', (given, url) => {
    expect(access({ OPENCLAW_GATEWAY_URL: given }).url).toBe(url);
  });

  test.each(['nonsense', 'ftp://x.test', 'ws://'])('%s is refused', (OPENCLAW_GATEWAY_URL) => {
    expect(() => access({ OPENCLAW_GATEWAY_URL })).toThrow(/not a WebSocket address/);
  });

  test('must be set', () => {
    expect(() => access({ OPENCLAW_GATEWAY_URL: '' })).toThrow(
      'No OpenClaw gateway is configured.',
    );
  });

  test.each([
    ['ws://localhost:1/', true],
    ['ws://127.8.9.1/', true],
    ['ws://[::1]:1/', true],
    ['ws://127.0.0.1.evil.test/', false],
    ['ws://localhost.evil.test/', false],
    ['ws://10.0.0.1/', false],
    ['ws://0.0.0.0/', false],
  ])('%s is loopback: %s', (url, expected) => {
    expect(isLoopback(url)).toBe(expected);
    expect(isExposed(url)).toBe(!expected);
    expect(isExposed(url.replace('ws:', 'wss:'))).toBe(false);
  });
});

describe('the secret', () => {
  test('of a variable comes before that of the configuration', () => {
    configure('{"gateway":{"auth":{"token":"configured"}}}');
    expect(access({ OPENCLAW_GATEWAY_TOKEN: 'given' })).toMatchObject({
      token: 'given',
      source: 'OPENCLAW_GATEWAY_TOKEN',
    });
    expect(access({ OPENCLAW_GATEWAY_PASSWORD: 'word' })).toMatchObject({ password: 'word' });
    expect(access({}).token).toBe('configured');
  });

  test.each([
    ['comments and trailing commas', '{ /* a */ "gateway": { "auth": { "token": "t", }, }, } // b'],
    ['bare keys and single quotes', "{ gateway: { auth: { mode: 'token', token: 't' } } }"],
    ['strings that look like comments', '{"x":"http://a,}","gateway":{"auth":{"token":"t"}}}'],
    ['a remote token', '{"gateway":{"remote":{"token":"t"}}}'],
  ])('is read from a configuration with %s', (_, text) => {
    configure(text);
    expect(access({}).token).toBe('t');
  });

  test('may be a password', () => {
    configure('{"gateway":{"auth":{"mode":"password","password":"p","token":"t"}}}');
    expect(access({})).toMatchObject({ password: 'p' });
    expect(access({}).token).toBeUndefined();
  });

  test.each([
    `{"gateway":{"auth":{"token":"$${'{VAR}'}"}}}`,
    '{"gateway":{"auth":{"token":{"source":"env"}}}}',
    '{{{',
  ])('that is not written out is not used: %s', (text) => {
    configure(text);
    expect(access({})).toEqual({ url: `${LOCAL}/` });
  });

  test('is looked for where OpenClaw keeps its configuration', () => {
    const folder = join(home, 'state');
    mkdirSync(folder);
    configure('{"gateway":{"auth":{"token":"of the state"}}}', join(folder, 'openclaw.json'));
    configure('{"gateway":{"auth":{"token":"of the path"}}}', join(home, 'x.json'));
    expect(access({ OPENCLAW_STATE_DIR: folder }).token).toBe('of the state');
    const both = { OPENCLAW_STATE_DIR: folder, OPENCLAW_CONFIG_PATH: join(home, 'x.json') };
    expect(access(both).token).toBe('of the path');
  });

  test.each(['ws://10.0.0.1:18789', 'wss://gateway.test', 'ws://localhost.evil.test'])(
    'of this machine never goes to %s',
    (OPENCLAW_GATEWAY_URL) => {
      configure('{"gateway":{"auth":{"token":"configured"}}}');
      expect(JSON.stringify(access({ OPENCLAW_GATEWAY_URL }))).not.toContain('configured');
    },
  );
});

test('the agent is main unless a variable names another', () => {
  expect(agentIdOf({})).toBe('main');
  expect(agentIdOf({ OPENCLAW_AGENT_ID: 'Ops' })).toBe('ops');
});
