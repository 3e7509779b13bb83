import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { executeTask } from './execution-backends.ts';
import { registerBackends } from './register-backends.ts';
import type { RunnerExecutionBackend } from './runner-backend.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A machine with some programs, and with the library and models of Pi where told. */
function machine({ programs = [] as string[], library = false, models = false }) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'runner-')));
  folders.push(home);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  for (const name of programs) {
    write(`bin/${name}`, '#!/bin/sh\nexit 9\n');
    chmodSync(join(home, 'bin', name), 0o755);
  }
  if (library) {
    write('pi/package.json', '{"name":"pi","version":"0.73.1","main":"index.js"}');
    write('pi/index.js', '');
  }
  if (models) write('pi-agent/models.json', '{"providers":{}}');
  return {
    HOME: home,
    PATH: join(home, 'bin'),
    FLUX_PI_AGENT_DIR: join(home, 'pi-agent'),
    BATON_PI_LIBRARY: join(home, 'pi'),
  };
}

async function registered(env: Record<string, string>, into: RunnerExecutionBackend[] = []) {
  const { backends, operatorSetting } = await registerBackends(env, { into, cwd: env.HOME ?? '/' });
  return { ids: backends.map(({ id }) => id), operatorSetting, backends };
}

test('Claude Code and Codex are registered where they are installed', async () => {
  const { ids } = await registered(machine({ programs: ['claude', 'codex'] }));
  expect(ids).toEqual(expect.arrayContaining(['claude-cli', 'codex-cli']));
  expect(ids).not.toContain('pi');
  expect(ids).not.toContain('demo');
});

test('Pi is registered when its library is there and its models.json is readable', async () => {
  const programs = ['claude'];
  expect((await registered(machine({ programs, library: true, models: true }))).ids).toContain(
    'pi',
  );
  expect((await registered(machine({ programs, library: true }))).ids).not.toContain('pi');
  expect((await registered(machine({ programs, models: true }))).ids).not.toContain('pi');
});

test('the folder of Pi may come from the configuration of the user', async () => {
  const { FLUX_PI_AGENT_DIR, ...env } = machine({ library: true, models: true });
  const chosen = { ...env, FLUX_BACKEND: 'pi' };
  await expect(registered(chosen)).rejects.toThrow('models.json');
  const ids = await registered({ ...chosen, BATON_PI_AGENT_DIR: FLUX_PI_AGENT_DIR });
  expect(ids.ids).toEqual(['pi']);
});

test('FLUX_BACKEND is the filter, and the backend of tasks that name none', async () => {
  const env = machine({ programs: ['claude', 'codex'], library: true, models: true });
  const { ids, operatorSetting, backends } = await registered({ ...env, FLUX_BACKEND: 'Codex' });
  expect(ids).toEqual(['codex-cli']);
  expect(operatorSetting).toBe('Codex');
  const request = {
    taskId: 't1',
    taskType: 'chat',
    packet: { execution: { backend: 'pi' } },
    prompt: 'Hi',
    startedAt: Date.now(),
    abortSignal: new AbortController().signal,
  };
  const result = await executeTask(request, { backends });
  expect(result).toMatchObject({
    status: 'failed',
    output: 'Runner does not support execution backend: pi',
  });
});

test.each([
  ['pi', 'models.json is not readable'],
  ['openclaw', 'OpenClaw'],
  ['skynet', 'The backend skynet was requested'],
])('FLUX_BACKEND=%s that cannot be registered is fatal', async (name, words) => {
  const env = machine({ programs: ['claude'], library: true });
  await expect(registered({ ...env, FLUX_BACKEND: name })).rejects.toThrow(words);
});

test('registering again replaces the backends of the same id and keeps others', async () => {
  const mine: RunnerExecutionBackend = {
    id: 'mine',
    canExecute: () => false,
    execute: async () => ({}),
  };
  const into = [mine];
  const env = { ...machine({ programs: ['claude'] }), FLUX_BACKEND: 'claude' };
  await registered(env, into);
  expect((await registered(env, into)).ids).toEqual(['mine', 'claude-cli']);
});

test('agents are looked for in the folder of the tasks', async () => {
  const env = machine({ programs: ['claude'] });
  const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'runner-tasks-')));
  folders.push(elsewhere);
  const inFolder = (cwd: string) =>
    registerBackends(env, { into: [], cwd: elsewhere, defaults: { cwd } });
  expect((await inFolder(elsewhere)).backends.map(({ id }) => id)).toContain('claude-cli');
  // A program of the workspace is not used as an agent.
  await expect(inFolder(env.HOME)).rejects.toThrow(/workspace/);
});

test.each([{}, { prompt: {} }, { prompt: { rendered: '' } }])(
  'Pi refuses a task without packet.prompt.rendered: %j',
  async (more) => {
    const env = machine({ library: true, models: true });
    const { backends } = await registered({ ...env, FLUX_BACKEND: 'pi' });
    const { signal: abortSignal } = new AbortController();
    const packet = { execution: { model: 'a/b' }, ...more };
    const task = { taskId: 't', taskType: 'chat', packet, prompt: 'Hi', startedAt: 0, abortSignal };
    expect(await backends[0]?.execute(task)).toMatchObject({
      status: 'failed',
      output: 'A task for Pi must have packet.prompt.rendered.',
    });
  },
);
