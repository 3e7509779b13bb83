import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testDaemon } from '../../testing/test-daemon.ts';

const CONFIG = { command: 'npx', args: ['-y', 'server'], env: { TOKEN: 'canary-1' } };
const FOLDERS = ['HOME', 'CODEX_HOME', 'CLAUDE_CONFIG_DIR', 'XDG_CONFIG_HOME'];

/** A home folder of its own for the agents. */
function ownHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'agent-mcp-'));
  const before = { ...process.env };
  for (const name of FOLDERS) delete process.env[name];
  process.env.HOME = home;
  onTestFinished(() => {
    for (const name of FOLDERS) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    rmSync(home, { recursive: true });
  });
  return home;
}

test('an owner adds, copies and removes servers; nobody sees their secrets', async () => {
  const home = ownHome();
  const { call, tokens } = await open();
  const made = await call('POST', '', { backend: 'codex', name: 'files', config: CONFIG });
  expect(made).toMatchObject({
    status: 201,
    body: {
      backend: 'codex-cli',
      servers: [{ name: 'files', kind: 'stdio', config: { ...CONFIG, env: { TOKEN: '***' } } }],
    },
  });
  const file = join(home, '.codex/config.toml');
  expect(readFileSync(file, 'utf8')).toContain('canary-1');
  const copied = await call('POST', '/copy', { backend: 'codex', to: 'opencode' });
  expect(copied.body).toEqual({ copied: [{ name: 'files', notes: [] }] });
  const list = await call('GET', '', undefined, tokens.member);
  expect(JSON.stringify(list.body)).not.toContain('canary');
  const names = (list.body as unknown as { backend: string; servers: { name: string }[] }[])
    .filter(({ servers }) => servers.length > 0)
    .map(({ backend }) => backend);
  expect(names).toEqual(['codex-cli', 'codex-sdk', 'opencode-cli']);
  expect(await call('POST', '', { backend: 'codex', name: 'files', config: CONFIG })).toMatchObject(
    {
      status: 409,
    },
  );
  const removed = await call('POST', '/removeServer', { backend: 'codex', name: 'files' });
  expect(removed.body).toMatchObject({ servers: [] });
  expect(readFileSync(file, 'utf8')).not.toContain('files');
});

test('only owners change a file', async () => {
  const home = ownHome();
  const { call, tokens } = await open();
  const data = { backend: 'claude', name: 'a', config: CONFIG };
  for (const as of [tokens.member, tokens.viewer]) {
    expect((await call('POST', '', data, as)).status).toBe(403);
    expect((await call('POST', '/copy', { backend: 'codex', to: 'claude' }, as)).status).toBe(403);
    const server = { backend: 'claude', name: 'a' };
    expect((await call('POST', '/removeServer', server, as)).status).toBe(403);
  }
  expect((await call('GET', '', undefined, tokens.viewer)).status).toBe(403);
  expect(() => readFileSync(join(home, '.claude.json'))).toThrow();
});

test('a malformed file has a problem, and a masked value is not a secret', async () => {
  const home = ownHome();
  const { call } = await open();
  mkdirSync(join(home, '.factory'));
  writeFileSync(join(home, '.factory/mcp.json'), '{ "mcpServers": ');
  const { body } = await call('GET', '');
  expect(body).toContainEqual(
    expect.objectContaining({
      backend: 'droid',
      problem: expect.stringContaining('mcp.json:1:17'),
    }),
  );
  const config = { ...CONFIG, env: { TOKEN: '***' } };
  expect(await call('POST', '', { backend: 'codex', name: 'x', config })).toMatchObject({
    status: 400,
  });
});

async function open() {
  const daemon = await testDaemon();
  const call = (verb: string, path: string, body?: object, as = daemon.tokens.owner) =>
    daemon.call(verb, `/agent-mcp-servers${path}`, { as, ...(body ? { body } : {}) });
  return { call, tokens: daemon.tokens };
}
