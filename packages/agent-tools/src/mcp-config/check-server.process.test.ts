import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { isRunning } from '../../../process/src/testing.ts';
import { checkServer } from './check-server.ts';

const ECHO = join(import.meta.dirname, '../../../../testbed/mcp-echo.mjs');
const node = (...args: string[]) => ({ command: process.execPath, args });

let folder: string;
const servers: Server[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-check-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(handle: RequestListener): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

function script(name: string, source: string): { command: string; args: string[] } {
  const path = join(folder, name);
  writeFileSync(path, source);
  return node(path);
}

test('lists the tools of a server with the older handshake', async () => {
  expect(await checkServer(node(ECHO))).toMatchObject({
    protocol: expect.stringMatching(/^2025-/),
    name: 'echo',
    version: '1.0.0',
    tools: [{ name: 'say', description: 'Says the text back.' }],
  });
});

test('lists the tools of a server that exits on anything before the handshake', async () => {
  const strict = script(
    'strict.mjs',
    `import { createInterface } from 'node:readline';
    let ready = false;
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (method !== 'initialize' && !ready) process.exit(3);
      ready = true;
      const result = method === 'initialize'
        ? { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
        : { tools: [] };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });`,
  );
  expect(await checkServer(strict)).toMatchObject({ protocol: '2024-11-05', tools: [] });
});

test('lists the tools of a stateless server of revision 2026-07-28, over HTTP', async () => {
  const { createMcpHandler, McpServer } = await import('@modelcontextprotocol/server');
  const { z } = await import('zod');
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'modern', version: '2.0.0' });
    server.registerTool('add', { inputSchema: z.object({ a: z.number() }) }, async () => ({
      content: [],
    }));
    return server;
  });
  const methods: string[] = [];
  const url = await listen(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (request.headers.authorization !== 'Bearer canary-1') return response.writeHead(401).end();
    methods.push(JSON.parse(body.toString() || '{}').method);
    const answer = await handler.fetch(
      new Request(url, {
        method: request.method ?? 'GET',
        headers: request.headers as Record<string, string>,
        ...(body.length > 0 ? { body } : {}),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: agents write variables in this way
  const headers = { Authorization: 'Bearer ${MCP_TOKEN}' };
  const env = { MCP_TOKEN: 'canary-1' };
  expect(await checkServer({ type: 'http', url, headers }, { env })).toMatchObject({
    protocol: '2026-07-28',
    tools: [{ name: 'add' }],
  });
  expect(methods).not.toContain('initialize');
  const refused = checkServer({ type: 'http', url, headers }, { env: { MCP_TOKEN: 'canary-2' } });
  await expect(refused).rejects.toMatchObject({
    code: 'mcp_failed',
    message: 'The server requires authentication (HTTP 401).',
  });
});

test('ends everything that a server started, when it is done and when it hangs', async () => {
  const pids = join(folder, 'pids');
  const parent = script(
    'parent.mjs',
    `    import { spawn } from 'node:child_process';
    import { appendFileSync } from 'node:fs';
    process.on('SIGTERM', () => {});
    const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
    appendFileSync(${JSON.stringify(pids)}, process.pid + '\\n' + child.pid + '\\n');
    if (process.argv[2] === 'echo') await import(${JSON.stringify(ECHO)});
    else setInterval(() => {}, 1000);`,
  );
  await checkServer({ ...parent, args: [...parent.args, 'echo'] });
  await expect(checkServer(parent, { timeoutMs: 1500 })).rejects.toMatchObject({
    code: 'mcp_failed',
    message: 'The server did not answer within 1.5 s.',
  });
  const before = readPids(pids).length;
  const stop = new AbortController();
  const check = checkServer(parent, { signal: stop.signal });
  await vi.waitFor(() => expect(readPids(pids).length).toBeGreaterThanOrEqual(before + 2));
  stop.abort();
  await expect(check).rejects.toMatchObject({ code: 'interrupted' });
  expect(readPids(pids).filter(isRunning)).toEqual([]);
});

function readPids(path: string): number[] {
  try {
    return readFileSync(path, 'utf8').trim().split('\n').map(Number);
  } catch {
    return [];
  }
}

test('says how a server ended, without its secrets', async () => {
  const broken = script(
    'broken.mjs',
    `console.error('bad token ' + process.env.TOKEN); process.exit(7);`,
  );
  const check = checkServer({ ...broken, env: { TOKEN: 'canary-3' } });
  await expect(check).rejects.toMatchObject({
    code: 'mcp_failed',
    message: 'The server exited with code 7 before it answered: bad token ***',
  });
});

test.each([
  [
    'a program that does not exist',
    { command: 'no-such-program' },
    'no-such-program was not found',
  ],
  ['an address that is none', { url: 'file:///etc/passwd' }, 'not an HTTP URL'],
])('says what is wrong with %s', async (_what, server, words) => {
  await expect(checkServer(server)).rejects.toThrow(words);
});

test('says that nobody listens', async () => {
  const url = await listen(() => {});
  servers.splice(0).forEach((server) => {
    server.close();
  });
  await expect(checkServer({ url })).rejects.toThrow('connect ECONNREFUSED');
});

test('a server gets no variables that are not its own', async () => {
  const probe = script('probe.mjs', `console.error(JSON.stringify(process.env)); process.exit(1);`);
  const child = checkServer(probe, { env: { PATH: process.env.PATH, BATON_SECRET: 'canary-4' } });
  await expect(child).rejects.not.toThrow('canary-4');
});

test('garbage is an error, not an answer', async () => {
  const url = await listen((_request, response) => response.writeHead(200).end('<html>'));
  await expect(checkServer({ url })).rejects.toMatchObject({ code: 'mcp_failed' });
  await expect(checkServer({ command: 'echo', args: ['hello'] })).rejects.toThrow(
    'The server exited with code 0 before it answered: hello',
  );
});
