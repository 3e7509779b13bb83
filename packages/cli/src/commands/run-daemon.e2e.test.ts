import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { operated, operatedApart } from '../testing/operated.ts';

const say = (words: string) => `demo:script [{"say":"${words}"}]`;

test('a prompt runs through the daemon, in a session that continues', async () => {
  const { baton: call, client } = await operated();
  const first = await call('run', '--daemon', 'auto', '-b', 'demo', say('One.'));
  expect([first.code, first.stdout.trim()]).toEqual([0, 'One.']);
  const [session] = (await client.sessions.find()).data;
  const id = session?.session_id ?? '';
  expect(first.stderr).toContain(`baton attach ${id.slice(0, 8)}`);
  const second = await call('run', '--session', id.slice(0, 8), say('Two.'));
  expect([second.code, second.stdout.trim()]).toEqual([0, 'Two.']);
  expect((await client.tasks.find({ session_id: id })).total).toBe(2);
});

test('every command accepts "auto" for the local daemon', async () => {
  const { ok, url } = await operated();
  expect(await ok('status', '--daemon', 'auto')).toContain(url);
});

test('a session keeps its own mode and model unless a flag overrides them', async () => {
  const { world, client } = await operated();
  const session = await client.sessions.create({ cwd: world.cwd, backend: 'demo' });
  const { session_id } = session;
  await client.sessions.patch(session_id, { permission_mode: 'allow-all', model: 'its-own' });
  const env = { BATON_BACKEND: 'claude', BATON_MODEL: 'of-another-agent' };
  const run = (...flags: string[]) =>
    world.call({ args: ['run', '--session', session_id, ...flags, say('Hi.')], env });
  // This agent knows no models, and says so.
  expect((await run()).stderr).toContain('model');
  expect((await run('--model', 'told', '-p', 'auto')).stderr).toContain('model');
  const { data } = await client.tasks.find({ session_id });
  expect(data.map(({ permission_mode, model }) => [permission_mode, model])).toEqual([
    ['auto', 'told'],
    ['allow-all', 'its-own'],
  ]);
});

test('an agent that the daemon does not have is refused before there is a session', async () => {
  const { world, baton: call, client } = await operatedApart({ BATON_CODEX_BIN: '/nowhere/codex' });
  const { code, stderr } = await call('run', '--daemon', 'auto', '-b', 'codex', 'Hi');
  expect([code, stderr]).toEqual([1, expect.stringContaining('error (backend_not_found)')]);
  expect(stderr).toMatch(/baton backends install.*--backend demo/);
  expect((await client.sessions.find()).total).toBe(0);
  const { session_id } = await client.sessions.create({ cwd: world.cwd, backend: 'codex' });
  expect((await call('run', '--session', session_id, 'Hi')).stderr).toContain('backend_not_found');
  expect((await client.tasks.find()).total).toBe(0);
});

test('a prompt that the daemon refuses leaves no empty session in the lists', async () => {
  const { baton: call, client } = await operated();
  const refused = async (...flags: string[]) => {
    const { code, stderr } = await call('run', '--daemon', 'auto', '-b', 'demo', ...flags, 'Hi');
    expect(code).not.toBe(0);
    return stderr;
  };
  expect(await refused('--option', 'nonsense=1')).toContain('nonsense');
  expect(await refused('--allowed-tools', 'Read')).toContain('capability_missing');
  expect((await client.sessions.find()).total).toBe(0);
});

test.each(['-r', '--session-id', '-m', '-C', '--settings', '--mcp-config', '-b'])(
  'an empty %s is refused before there is a session',
  async (flag) => {
    const { baton: call, client } = await operated();
    const args = flag === '-b' ? [] : ['-b', 'demo'];
    const { code, stderr } = await call('run', '--daemon', 'auto', ...args, flag, '', say('Hi.'));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error \(\w+\): .+\nhint: /)]);
    expect((await client.sessions.find()).total).toBe(0);
    expect((await client.tasks.find()).total).toBe(0);
  },
);

test('an agent that only the project contains is not found and never run', async () => {
  const {
    world,
    baton: call,
    client,
  } = await operatedApart({ PATH: '/usr/bin:/bin', HOME: '/dev/null/nowhere' });
  const bin = join(world.cwd, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  const mark = join(world.home, 'planted');
  writeFileSync(join(bin, 'codex'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  const { stderr } = await call('run', '--daemon', 'auto', '-b', 'codex', 'Hi');
  expect(stderr).toContain('backend_not_found');
  expect((await client.tasks.find()).total).toBe(0);
  expect(existsSync(mark)).toBe(false);
});

test('on a terminal it prints how to continue the session of the daemon', async () => {
  const { world, client } = await operated();
  const args = ['run', '--daemon', 'auto', '-b', 'demo', say('One.')];
  const { code, output } = await world.terminal({ args, env: { NO_COLOR: '1' } }).end();
  const [session] = (await client.sessions.find()).data;
  expect(code).toBe(0);
  expect(output).toContain(`baton run --session ${session?.session_id.slice(0, 8)} "…"`);
  expect(output).not.toContain('--resume');
});

test.each(['allow', 'deny'] as const)(
  'its requests can be answered from anywhere: %s',
  async (decision) => {
    const { client, world, inbox } = await operated();
    const script = 'demo:script [{"shell":"echo hi"}]';
    const child = world.start({ args: ['run', '--daemon', 'auto', '-b', 'demo', script] });
    child.stdin.end();
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    const running = world.finish(child);
    const [request] = await inbox();
    const { session_id = '', task_id = '', request_id = '' } = request ?? {};
    const waits = `Needs input: "baton answer ${task_id.slice(0, 8)}:${request_id}".`;
    await vi.waitFor(() => expect(said).toContain(waits), 20_000);
    const answer = { decision };
    await client.permissions.answer({ session_id, task_id, request_id, answer });
    const { code, stderr } = await running;
    expect(stderr).not.toContain('nobody was there');
    expect(code).toBe(0);
    expect((await client.sessions.get(session_id)).cwd).toBe(world.cwd);
  },
);

test.each([
  ['no such session', ['--session', 'nothing'], 4, 'No session matches "nothing"'],
  ['a folder for a session that has one', ['--session', 'x', '-C', '.'], 4, 'No session matches'],
  ['what is no address', ['--daemon', 'nonsense'], 2, 'not a daemon URL'],
])('%s is said at once', async (_what, args, code, words) => {
  const { baton: call } = await operated();
  const result = await call('run', '-b', 'demo', ...args, 'Hi');
  expect(result.stderr).toContain(words);
  expect(result.code).toBe(code);
});
