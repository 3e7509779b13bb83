import { io, type Socket } from 'socket.io-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type TestDaemon, testDaemon } from '../testing/test-daemon.ts';

/** Secrets that nothing but the place they were sent to may know. */
const CANARIES = {
  password: 'canary-password-1',
  wrong: 'canary-password-2',
  link: 'canary-link-3',
  key: 'canary-key-4',
  token: 'baton_canary-token-5-0123456789',
  taskToken: 'eyJhbGciOiJIUzI1NiJ9.eyJjYW5hcnkiOjZ9.Y2FuYXJ5LTY',
  env: 'canary-env-7',
  header: 'canary-header-8',
} as const;

type Call = (service: string, method: string, args: unknown[], token?: string) => Promise<string>;

const MCP = { command: 'node', env: { TOKEN: CANARIES.env } };
const WEB = { url: 'https://x.example', headers: { Authorization: CANARIES.header } };

/** Sends every canary, where it is right and where it is wrong; gives all answers. */
async function sendAll(call: Call, owner: string): Promise<string> {
  const login = (data: object) => call('authentication', 'create', [data]);
  const answers = [
    await call('users', 'patch', ['me', { password: CANARIES.password }], owner),
    await call('users', 'patch', ['me', { password: CANARIES.wrong, more: 1 }], owner),
    await call('users', 'patch', ['nobody', { password: CANARIES.wrong }], owner),
    await login({ strategy: 'password', name: 'the owner', password: CANARIES.wrong }),
    await login({ strategy: 'password', name: 'the owner', password: [CANARIES.wrong] }),
    await login({ strategy: 'link', secret: CANARIES.link }),
    await login({ strategy: CANARIES.wrong, secret: CANARIES.link }),
    await call('api-keys', 'create', [{ name: 'A_KEY', value: CANARIES.key }], owner),
    await call('api-keys', 'create', [{ name: 'a key', value: CANARIES.key }], owner),
    await call('api-keys', 'find', [{}], owner),
    await call('mcp-servers', 'create', [{ name: 'one', config: MCP }], owner),
    await call('mcp-servers', 'create', [{ name: 'one', config: MCP }], owner),
    await call('mcp-servers', 'create', [{ name: 'two', config: WEB }], owner),
    await call('mcp-servers', 'create', [{ name: 'no name', config: WEB }], owner),
    await call('mcp-servers', 'patch', ['one', { config: WEB }], owner),
    await call('mcp-servers', 'find', [{}], owner),
    await call('sessions', 'find', [{}], CANARIES.token),
    await call('sessions', 'find', [{}], CANARIES.taskToken),
    await call('sessions', 'find', [{}], CANARIES.wrong),
  ];
  return answers.join('\n');
}

const VERBS: Readonly<Record<string, string>> = { find: 'GET', create: 'POST', patch: 'PATCH' };

function overRest(daemon: TestDaemon): Call {
  return async (service, method, args, as = '') => {
    const [id, data] = method === 'patch' ? args : [undefined, args[0]];
    const path = id === undefined ? `/${service}` : `/${service}/${id}`;
    const body = method === 'find' ? {} : { body: data };
    const reply = await daemon.call(VERBS[method] ?? '', path, { as, ...body });
    return JSON.stringify([reply.body, [...reply.headers]]);
  };
}

function overSocket({ daemon }: TestDaemon, heard: string[]): Call {
  const sockets = new Map<string, Socket>();
  onTestFinished(() => {
    for (const socket of sockets.values()) socket.disconnect();
  });
  return (service, method, args, token = '') => {
    const known = sockets.get(token);
    const socket = known ?? io(daemon.url, { auth: { token }, transports: ['websocket'] });
    if (!known) socket.onAny((...event) => heard.push(JSON.stringify(event)));
    sockets.set(token, socket);
    return new Promise((resolve) => {
      socket.emit(method, service, ...args, (...answer: unknown[]) => {
        resolve(JSON.stringify(answer));
      });
    });
  };
}

function checkClean(where: string, text: string): void {
  for (const [name, canary] of Object.entries(CANARIES)) {
    expect(text.includes(canary), `${name} in ${where}`).toBe(false);
  }
}

async function canaryDaemon(): Promise<{ daemon: TestDaemon; lines: string[] }> {
  const lines: string[] = [];
  const logTo = { write: (line: string) => void lines.push(line) };
  return { daemon: await testDaemon({ logLevel: 'info', logTo }), lines };
}

describe('no secret reaches logs, answers or events', () => {
  test('over REST', async () => {
    const { daemon, lines } = await canaryDaemon();
    checkClean('the answers', await sendAll(overRest(daemon), daemon.tokens.owner));
    const broken = await fetch(`${daemon.daemon.url}/authentication`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `{"password":${CANARIES.password}}`,
    });
    // The parser would quote a part of it.
    expect(await broken.json()).toMatchObject({
      message: 'The request body is not valid JSON.',
    });
    expect(lines.length).toBeGreaterThan(15);
    checkClean('the log', lines.join(''));
    expect(lines.join('')).not.toContain(daemon.tokens.owner);
  });

  test('over a socket', async () => {
    const { daemon, lines } = await canaryDaemon();
    const heard: string[] = [];
    const answers = await sendAll(overSocket(daemon, heard), daemon.tokens.owner);
    checkClean('the answers', answers);
    checkClean('the events', heard.join('\n'));
    expect(lines.length).toBeGreaterThan(15);
    checkClean('the log', lines.join(''));
    expect(lines.join('')).not.toContain(daemon.tokens.owner);
  });

  test('when the daemon itself fails over it', async () => {
    const { daemon, lines } = await canaryDaemon();
    const { apiKeys } = daemon.daemon.store.records;
    apiKeys.put = async (row) => {
      throw new Error(`Cannot write ${JSON.stringify(row)} for ${CANARIES.key}`);
    };
    const body = { name: 'A_KEY', value: CANARIES.key };
    const reply = await daemon.call('POST', '/api-keys', { body });
    expect(reply.status).toBe(500);
    checkClean('the answer', JSON.stringify(reply.body));
    const told = lines.join('');
    expect(told).toContain('Cannot write');
    checkClean('the log', told);
  });
});

test('a call is logged with who, what, how long and how it ended, under the id of its request', async () => {
  const { daemon, lines } = await canaryDaemon();
  const headers = { 'X-Request-Id': 'mine-1' };
  const reply = await daemon.call('GET', '/sessions/nowhere', { headers });
  expect(reply.headers.get('X-Request-Id')).toBe('mine-1');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
    level: 30,
    requestId: 'mine-1',
    service: 'sessions',
    method: 'get',
    status: 'not_found',
    durationMs: expect.any(Number),
    userId: expect.any(String),
  });
  const odd = await daemon.call('GET', '/sessions', { headers: { 'X-Request-Id': 'a b' } });
  expect(odd.headers.get('X-Request-Id')).toMatch(/^[\da-f-]{36}$/);
});

test('a call of an executor is logged with its task', async () => {
  const { daemon, lines } = await canaryDaemon();
  const claims = { sessionId: 's', taskId: 'the task', executorId: 'e', fence: 1 };
  const as = await daemon.daemon.taskTokens.sign(claims);
  await daemon.call('GET', '/tasks/x', { as });
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ service: 'tasks', taskId: 'the task' });
});
