import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBaton } from '@baton/agents/registry/create-baton';
import { expect, onTestFinished, test, vi } from 'vitest';
import { NODE_SHEBANG } from '../../../../../scripts/node-shebang.ts';
import { testDaemon } from '../../testing/test-daemon.ts';
import { BackendFacts } from './backend-facts.ts';

const baton = await createBaton({ settings: 'none' });

test('every agent is listed with its capabilities and whether it is installed', async () => {
  const daemon = await testDaemon();
  const { body } = await daemon.call('GET', '/backends', { as: daemon.tokens.viewer });
  const demo = (body as unknown as { id: string }[]).find(({ id }) => id === 'demo');
  expect(demo).toMatchObject({
    label: expect.any(String),
    capabilities: { features: { streaming: true } },
    options_schema: { properties: { model: { type: 'string' } } },
    provider_options_schema: { properties: { pace: { type: 'number', minimum: 0 } } },
    models: [],
    commands: [],
    probe: { installed: true },
  });
});

test('an agent that reports models and commands is probed once, without daemon secrets', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-agent-'));
  const file = join(folder, 'claude');
  writeFileSync(file, AGENT, { mode: 0o755 });
  vi.stubEnv('BATON_CLAUDE_BIN', file);
  vi.stubEnv('BATON_MASTER_KEY', 'k'.repeat(43));
  vi.stubEnv('ASKED_FILE', join(folder, 'asked'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  let time = 1000;
  const facts = new BackendFacts(baton, () => time);
  const expected = {
    models: [{ id: 'large', label: 'Large', description: 'Best.' }],
    commands: [{ name: 'review', description: 'Looks.' }],
  };
  expect(await facts.of('claude-cli')).toMatchObject(expected);
  time += 100_000;
  expect(await facts.of('claude-cli')).toMatchObject(expected);
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe('undefined\n');
});

/** Greets like Claude Code, and writes down each start. */
const AGENT = `${NODE_SHEBANG}const { appendFileSync } = require('node:fs');
appendFileSync(process.env.ASKED_FILE, process.env.BATON_MASTER_KEY + '\\n');
const models = [{ value: 'large', displayName: 'Large', description: 'Best.' }];
const commands = [{ name: 'review', description: 'Looks.', argumentHint: '' }, {}];
process.stdin.on('data', (line) => {
  const { request_id } = JSON.parse(line);
  const response = { subtype: 'success', request_id, response: { models, commands } };
  console.log(JSON.stringify({ type: 'control_response', response }));
});
`;

test('a program that lies in the folder of a session is never started', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-planted-'));
  const mark = join(folder, 'started');
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'claude'), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
  vi.stubEnv('BATON_CLAUDE_BIN', undefined);
  vi.stubEnv('PATH', `${workspace}:${process.env.PATH}`);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const daemon = await testDaemon();
  await daemon.call('POST', '/sessions', { body: { cwd: workspace, backend: 'demo' } });
  await daemon.call('GET', '/backends', { as: daemon.tokens.viewer });
  await daemon.call('GET', `/backends/claude?cwd=${workspace}`);
  expect(existsSync(mark)).toBe(false);
});

test('an agent that cannot be started has no models, and the others are listed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-agent-'));
  const file = join(folder, 'claude');
  writeFileSync(file, '#!/nothing/here', { mode: 0o755 });
  vi.stubEnv('BATON_CLAUDE_BIN', file);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  expect(await new BackendFacts(baton, () => 0).of('claude-cli')).toMatchObject({
    models: [],
    commands: [],
  });
});

test('one agent is found by any of its names', async () => {
  const daemon = await testDaemon();
  expect(await daemon.call('GET', '/backends/claude-code')).toMatchObject({
    body: { id: 'claude-cli' },
  });
  expect(await daemon.call('GET', '/backends/nobody')).toMatchObject({
    status: 404,
    body: { data: { code: 'backend_unknown' } },
  });
});

test('viewers cannot probe a folder', async () => {
  const daemon = await testDaemon();
  const look = (as: string) => daemon.call('GET', '/backends/demo?cwd=/', { as });
  expect((await look(daemon.tokens.viewer)).status).toBe(403);
  expect(await look(daemon.tokens.member)).toMatchObject({ status: 200, body: { id: 'demo' } });
});

test('an agent is looked at again only after a while', async () => {
  let time = 1000;
  const facts = new BackendFacts(baton, () => time);
  const first = facts.of('demo');
  time += 59_000;
  expect(facts.of('demo')).toBe(first);
  time += 2000;
  expect(facts.of('demo')).not.toBe(first);
  await facts.of('demo');
});

test('an agent is tested as it is now', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-agent-'));
  const file = join(folder, 'claude');
  vi.stubEnv('BATON_CLAUDE_BIN', file);
  vi.stubEnv('ASKED_FILE', join(folder, 'asked'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const daemon = await testDaemon();
  const tested = async () =>
    (await daemon.call('POST', '/backends/claude/test', { body: {}, as: daemon.tokens.member }))
      .body;
  expect(await tested()).toMatchObject({
    backend: 'claude-cli',
    installed: false,
    problems: [{ hint: expect.any(String) }],
  });
  writeFileSync(file, AGENT, { mode: 0o755 });
  expect(await tested()).toMatchObject({ installed: true, path: file });
  await tested();
  expect(readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n')).toHaveLength(2);
  const { body } = await daemon.call('GET', '/backends/claude');
  expect(body).toMatchObject({ probe: { installed: true }, models: [{ id: 'large' }] });
  expect(await daemon.call('POST', '/backends/nobody/test', { body: {} })).toMatchObject({
    body: { data: { code: 'backend_unknown' } },
  });
});

test('a stored key counts for the users whose tasks get it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-agent-'));
  writeFileSync(join(folder, 'claude'), '#!/bin/sh\necho 2.1.0\n', { mode: 0o755 });
  vi.stubEnv('BATON_CLAUDE_BIN', join(folder, 'claude'));
  vi.stubEnv('HOME', folder);
  for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN']) {
    vi.stubEnv(name, '');
  }
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const daemon = await testDaemon();
  const claude = async (as: string) => (await daemon.call('GET', '/backends/claude', { as })).body;
  const { owner, member } = daemon.tokens;
  const missing = {
    key_variables: expect.arrayContaining(['ANTHROPIC_API_KEY']),
    probe: { credentials: 'missing', problems: [{ code: 'auth_missing' }] },
  };
  expect(await claude(owner)).toMatchObject(missing);
  const body = { name: 'ANTHROPIC_API_KEY', value: 'secret' };
  await daemon.call('POST', '/api-keys', { body, as: member });
  expect(await claude(owner)).toMatchObject(missing);
  const credentialSource = 'the API key ANTHROPIC_API_KEY';
  const found = { probe: { credentials: 'found', credentialSource, problems: [] } };
  expect(await claude(member)).toMatchObject(found);
  await daemon.call('POST', '/api-keys', { body: { ...body, shared: true } });
  expect(await claude(owner)).toMatchObject(found);
});
