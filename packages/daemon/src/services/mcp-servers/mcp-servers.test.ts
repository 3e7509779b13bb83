import { expect, test } from 'vitest';
import { enabledMcpServers, sealConfig } from '../../security/mcp-config.ts';
import { SealedBox } from '../../security/sealed-box.ts';
import { testDaemon } from '../../testing/test-daemon.ts';

const CONFIG = { command: 'npx', args: ['-y', 'server'], env: { TOKEN: 'canary-1' } };

test('a server is shown without its secrets, and nothing of it is readable at rest', async () => {
  const daemon = await testDaemon();
  const made = await daemon.call('POST', '/mcp-servers', {
    body: { name: 'files', config: CONFIG },
  });
  expect(made).toMatchObject({
    status: 201,
    body: { name: 'files', enabled: true, config: { ...CONFIG, env: { TOKEN: '***' } } },
  });
  const list = await daemon.call('GET', '/mcp-servers', { as: daemon.tokens.viewer });
  expect(list.body).toEqual([made.body]);
  expect(await daemon.call('GET', '/mcp-servers/files')).toMatchObject({ body: made.body });
  const [row] = await daemon.daemon.store.records.mcpServers.find();
  expect(row?.sealed).not.toMatch(/npx|canary/);
});

test('a header is a secret, and so is whatever has no known name', async () => {
  const daemon = await testDaemon();
  const config = { url: 'https://x.example', headers: { A: 'canary-2' }, auth: { b: 'canary-3' } };
  const made = await daemon.call('POST', '/mcp-servers', { body: { name: 'web', config } });
  expect(made.body.config).toEqual({ ...config, headers: { A: '***' }, auth: { b: '***' } });
});

test('a change keeps masked secrets', async () => {
  const daemon = await testDaemon();
  const env = { TOKEN: 'canary-4', OTHER: 'old' };
  await daemon.call('POST', '/mcp-servers', {
    body: { name: 'files', config: { ...CONFIG, env } },
  });
  const config = { ...CONFIG, env: { TOKEN: '***', OTHER: 'new', MORE: '***' } };
  const patch = (body: object) => daemon.call('PATCH', '/mcp-servers/files', { body });
  expect(await patch({ config })).toMatchObject({ status: 400 });
  const whole = { ...CONFIG, env: { TOKEN: '***', OTHER: 'new' } };
  expect(await patch({ config: whole })).toMatchObject({ status: 200 });
  // A secret does not follow to another program.
  const elsewhere = { ...whole, args: ['-y', 'thief'] };
  expect(await patch({ config: elsewhere })).toMatchObject({ status: 400 });
  expect(await patch({ enabled: false })).toMatchObject({ body: { enabled: false } });
  expect((await daemon.call('DELETE', '/mcp-servers/files')).status).toBe(200);
  expect((await daemon.call('GET', '/mcp-servers/files')).status).toBe(404);
});

test('names are unique and valid in a configuration', async () => {
  const daemon = await testDaemon();
  const add = (name: string) =>
    daemon.call('POST', '/mcp-servers', { body: { name, config: CONFIG } });
  expect((await add('files')).status).toBe(201);
  expect((await add('files')).status).toBe(409);
  expect((await add('my files')).status).toBe(400);
});

test('a configuration says what to start or where to connect', async () => {
  const daemon = await testDaemon();
  const refused = await daemon.call('POST', '/mcp-servers', { body: { name: 'x', config: {} } });
  expect(refused.status).toBe(400);
  expect(refused.body.message).toContain('data.config: must have a command');
});

test('tasks get the servers that are enabled, with their secrets', async () => {
  const { daemon } = await testDaemon();
  const box = new SealedBox(Buffer.alloc(32, 1));
  for (const [name, enabled] of Object.entries({ on: 1, off: 0 })) {
    await daemon.store.records.mcpServers.insert({
      server_id: name,
      name,
      sealed: sealConfig(CONFIG, name, box),
      enabled,
      created_by: null,
      created_at: 1,
    });
  }
  expect(await enabledMcpServers(daemon.store, box)).toEqual({ on: CONFIG });
});
