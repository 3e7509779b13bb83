import { describe, expect, test } from 'vitest';
import { MAX_BODY_BYTES } from '../service/body-limits.ts';
import { breakStore, type ExpectedError, errorForm } from '../testing/error-form.ts';
import { type TestDaemon, testDaemon } from '../testing/test-daemon.ts';

type Answer = { status: number; body: unknown };

/** Sends a body as it is, whatever the daemon may think of it. */
async function post(
  { daemon, tokens }: TestDaemon,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
  path = '/sessions',
): Promise<Answer> {
  const response = await fetch(`${daemon.url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tokens.owner}`, ...headers },
    body,
  });
  return { status: response.status, body: await response.json() };
}

const SESSION = JSON.stringify({ cwd: '/tmp', backend: 'demo' });
const JSON_TYPE = { 'Content-Type': 'application/json' };

type Case = ExpectedError & { send: (daemon: TestDaemon) => Promise<Answer> };

const CASES: Record<string, Case> = {
  'a field that is missing': {
    status: 400,
    code: 'usage',
    hint: 'data takes: cwd string; backend string; permission_mode?',
    send: (daemon) => daemon.call('POST', '/sessions', { body: { cwd: '/tmp' } }),
  },
  'a value that makes no sense': {
    status: 400,
    code: 'usage',
    send: (daemon) => daemon.call('POST', '/sessions', { body: { cwd: 'here', backend: 'demo' } }),
  },
  'a value that a setting does not take': {
    status: 400,
    code: 'usage',
    hint: 'executors.isolation_network is: boolean.',
    send: (daemon) =>
      daemon.call('PATCH', '/settings/executors.isolation_network', { body: { value: 1 } }),
  },
  'a body that is not JSON': {
    status: 400,
    code: 'usage',
    hint: 'application/json',
    send: (daemon) => post(daemon, '{"a secret', JSON_TYPE),
  },
  'a body that is not packed as it says': {
    status: 400,
    code: 'usage',
    send: (daemon) => post(daemon, SESSION, { ...JSON_TYPE, 'Content-Encoding': 'gzip' }),
  },
  'no token': {
    status: 401,
    code: 'unauthenticated',
    send: (daemon) => daemon.call('GET', '/sessions', { as: '' }),
  },
  'no token for the metrics': {
    status: 401,
    code: 'unauthenticated',
    send: (daemon) => daemon.call('GET', '/metrics', { as: '' }),
  },
  'what only others may do': {
    status: 403,
    code: 'forbidden',
    send: (daemon) => daemon.call('POST', '/sessions', { as: daemon.tokens.viewer, body: {} }),
  },
  'another site': {
    status: 403,
    code: 'forbidden',
    hint: '--public-url',
    send: (daemon) => daemon.call('GET', '/sessions', { headers: { Origin: 'https://a.example' } }),
  },
  'an unknown id': {
    status: 404,
    code: 'not_found',
    send: (daemon) => daemon.call('GET', '/sessions/nowhere'),
  },
  'an unknown path': {
    status: 404,
    code: 'not_found',
    hint: 'See /openapi.json for all',
    send: (daemon) => daemon.call('GET', '/nothing'),
  },
  'a path that cannot be decoded': {
    status: 404,
    code: 'not_found',
    send: (daemon) => daemon.call('GET', '/sessions/%E0%A4%A'),
  },
  'a method that the service does not have': {
    status: 405,
    code: 'usage',
    hint: 'See /openapi.json for how',
    send: (daemon) => daemon.call('PUT', '/sessions/x', { body: {} }),
  },
  'a custom method that no service has': {
    status: 405,
    code: 'usage',
    send: (daemon) =>
      daemon.call('POST', '/sessions', { body: {}, headers: { 'X-Service-Method': 'dance' } }),
  },
  'a page that can only be read': {
    status: 405,
    code: 'usage',
    send: (daemon) => daemon.call('POST', '/openapi.json', { body: {} }),
  },
  'a verb that means nothing here': {
    status: 405,
    code: 'usage',
    send: (daemon) => daemon.call('OPTIONS', '/sessions'),
  },
  'a name that is taken': {
    status: 409,
    code: 'conflict',
    send: (daemon) =>
      daemon.call('POST', '/users', { body: { name: 'the owner', role: 'viewer' } }),
  },
  'a body that is too large': {
    status: 413,
    code: 'usage',
    hint: '1 MB',
    send: (daemon) => post(daemon, new Uint8Array(MAX_BODY_BYTES + 1), JSON_TYPE),
  },
  'a text': {
    status: 415,
    code: 'usage',
    hint: 'application/json',
    send: (daemon) => post(daemon, SESSION, { 'Content-Type': 'text/plain' }),
  },
  'a form': {
    status: 415,
    code: 'usage',
    hint: 'application/json',
    send: (daemon) =>
      post(daemon, SESSION, { 'Content-Type': 'application/x-www-form-urlencoded' }),
  },
  'a body that is packed in a way that nobody knows': {
    status: 415,
    code: 'usage',
    send: (daemon) => post(daemon, SESSION, { ...JSON_TYPE, 'Content-Encoding': 'rot13' }),
  },
  'too many guesses': {
    status: 429,
    code: 'too_many_requests',
    async send(daemon) {
      const body = { strategy: 'link', secret: 'wrong' };
      for (;;) {
        const reply = await daemon.call('POST', '/authentication', { body, as: '' });
        if (reply.status !== 401) return reply;
      }
    },
  },
  'a mistake of the daemon': {
    status: 500,
    code: 'internal',
    send(daemon) {
      breakStore();
      return daemon.call('GET', '/sessions');
    },
  },
};

describe('every error has the same form over HTTP', () => {
  test.each(Object.entries(CASES))('%s', async (_what, { send, ...expected }) => {
    const { status, body } = await send(await testDaemon());
    expect(body).toEqual(errorForm(expected));
    expect(status).toBe(expected.status);
    expect(JSON.stringify(body)).not.toMatch(/the option|a secret/);
  });
});

test('a body that is empty needs no content type', async () => {
  const daemon = await testDaemon();
  const path = `/sessions/${await daemon.session()}/fork`;
  expect(await post(daemon, '', { 'Content-Type': 'text/plain' }, path)).toMatchObject({
    status: 200,
  });
});
