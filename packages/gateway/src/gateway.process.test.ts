import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBaton } from '@baton/agents/registry/create-baton';
import { isAlive, startTicksOf } from '@baton/process';
import { openStore } from '@baton/store';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { DemoStep } from '../../agents/src/backends/demo/steps.ts';
import { keepDemoWorlds, steps, temporaryFolder } from '../../agents/src/testing/demo-world.ts';
import { localAgents } from './agents/local-agents.ts';
import { loadConfig } from './config/load-config.ts';
import { Gateway } from './gateway.ts';
import { HookManager } from './hooks/hook-manager.ts';
import { startHook } from './hooks/start-hook.ts';
import { CHANNEL, ScriptedChannel, USER } from './testing/scripted-channel.ts';

keepDemoWorlds();

const { HOME } = process.env;
beforeAll(() => {
  // The demo agent keeps its sessions at home.
  process.env.HOME = temporaryFolder();
});
afterAll(() => {
  if (HOME === undefined) delete process.env.HOME;
  else process.env.HOME = HOME;
});

/** A gateway that runs the demo agent as a process, and asks before it acts. */
async function demoGateway(permissionMode = 'ask') {
  const home = temporaryFolder();
  const cwd = join(home, 'workspace');
  mkdirSync(cwd);
  const { config, settings } = loadConfig(
    {
      AGENT_BACKEND: 'demo',
      BATON_PERMISSION_MODE: permissionMode,
      BATON_GATEWAY_USERS: USER,
      BATON_GATEWAY_CHANNELS: CHANNEL,
    },
    undefined,
    { place: { cwd, home } },
  );
  const log: string[] = [];
  const write = (message: string) => void log.push(message);
  const chat = new ScriptedChannel();
  const store = await openStore({ url: ':memory:' });
  const logs = { warn: write, info: write };
  const gateway = new Gateway({
    config,
    store,
    adapters: [chat],
    agents: localAgents(await createBaton({ settings }), { config, settings }, logs),
    hooks: new HookManager({}, { start: startHook, log: logs }),
    log: logs,
  });
  onTestFinished(async () => {
    await gateway.stop();
    await store.close();
  });
  await gateway.start();
  const shows = (text: string) =>
    vi.waitFor(() => expect(`${chat.texts().join('\n')}\nlog: ${log.join('\n')}`).toContain(text));
  const play = (...list: DemoStep[]) => chat.say(steps(...list));
  return { chat, cwd, gateway, store, log, shows, play };
}

describe('the demo agent in a chat', () => {
  test('writes a file when that was allowed by a button', async () => {
    const { chat, cwd, shows, play, gateway } = await demoGateway();
    const path = join(cwd, 'hello.txt');
    const id = await play({ write: { path, content: 'Hello, chat' } }, { say: 'Written.' });
    await shows('🔒 Allow `Edit hello.txt`?');
    expect(chat.shown().at(-1)?.text).toContain('Hello, chat');
    expect(existsSync(path)).toBe(false);
    expect(await chat.press('Allow once', { userName: 'Ada' })).toBeUndefined();
    await gateway.idle();
    expect(readFileSync(path, 'utf8')).toBe('Hello, chat');
    expect(chat.repliesTo(id).join('\n')).toContain('✅ Allowed once by Ada');
    expect(chat.repliesTo(id)).toContain('Written.');
  });

  test('does not write a file when that was denied', async () => {
    const { chat, cwd, shows, play, gateway } = await demoGateway();
    const path = join(cwd, 'hello.txt');
    await play({ write: { path, content: 'Hello' } }, { say: 'Not written.' });
    await shows('🔒 Allow');
    await chat.press('Deny');
    await gateway.idle();
    expect(existsSync(path)).toBe(false);
    expect(chat.texts().join('\n')).toContain(`🚫 Denied by ${USER}`);
    expect(chat.shown().flatMap(({ buttons }) => buttons)).toEqual([]);
  });

  test('is not asked about what its permission mode allows', async () => {
    const { chat, cwd, play, gateway } = await demoGateway('auto');
    const path = join(cwd, 'hello.txt');
    const id = await play({ write: { path, content: 'Hello' } }, { say: 'Written.' });
    await gateway.idle();
    expect(existsSync(path)).toBe(true);
    expect(chat.repliesTo(id)).toEqual(['Written.']);
    expect(chat.calls.some((call) => 'text' in call && call.text.includes('Allow'))).toBe(false);
  });

  test('gets the answer to a question by a message', async () => {
    const { chat, shows, play, gateway, store } = await demoGateway();
    const id = await play({ question: { question: 'Which tea?', options: ['Green', 'Black'] } });
    await shows('❓ Which tea?');
    const answer = await chat.say('Mint, please');
    await gateway.idle();
    expect(chat.repliesTo(id).join('\n')).toContain('You chose: Mint, please.');
    const key = { channel_id: CHANNEL, message_id: answer };
    expect(await store.gatewayEvents.get(key)).toBeUndefined();
  });

  test('is ended by /stop, with what it has started', async () => {
    const { chat, cwd, shows, play, gateway } = await demoGateway();
    const file = join(cwd, 'pid');
    const id = await play({ shell: `echo $$ > ${file}; exec sleep 600` });
    await shows('🔒 Allow');
    await chat.press('Allow once');
    const pid = await vi.waitFor(() => {
      const text = readFileSync(file, 'utf8').trim();
      if (text === '') throw new Error('not started');
      return Number(text);
    });
    const sleeping = { pid, startTicks: startTicksOf(pid) ?? 0 };
    expect(isAlive(sleeping)).toBe(true);
    expect((await chat.command('stop'))?.text).toBe('Stopping.');
    await gateway.idle();
    expect(isAlive(sleeping)).toBe(false);
    expect(chat.repliesTo(id)).toContain('Stopped.');
  });

  test('goes on in its session with the next message, until /new', async () => {
    const { chat, store, play, gateway } = await demoGateway();
    const session = () => store.gatewaySessions.get(CHANNEL, 'demo');
    await play({ say: 'One.' });
    await gateway.idle();
    const first = await session();
    expect(first).toBeDefined();
    await play({ say: 'Two.' });
    await gateway.idle();
    expect(await session()).toBe(first);
    await chat.command('new');
    expect(await session()).toBeUndefined();
    await play({ say: 'Three.' });
    await gateway.idle();
    expect(await session()).not.toBe(first);
    expect(chat.texts()).toEqual(['One.', 'Two.', 'Three.']);
  });

  test('is stopped with the gateway, which offers a retry', async () => {
    const { chat, shows, play, gateway } = await demoGateway();
    const id = await play({ say: 'Busy.' }, { stall: true });
    await shows('Busy.');
    await gateway.stop();
    expect(chat.repliesTo(id)).toEqual([
      'Busy.',
      '⚠️ The gateway was stopped while the agent was working.',
    ]);
    expect(chat.shown()[1]?.buttons).toMatchObject([{ label: 'Retry' }]);
  });
});
