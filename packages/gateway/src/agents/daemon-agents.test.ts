import type { BatonClient } from '@baton/client';
import { Registry } from '@baton/runtime/internal';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { testConfig } from '../testing/gateway-world.ts';
import { ScriptedRun } from '../testing/scripted-agents.ts';
import type { MessageContext } from './channel-agents.ts';
import { daemonAgents } from './daemon-agents.ts';

const URL = 'http://127.0.0.1:7500';
const CONTEXT: MessageContext = {
  turnId: 'turn',
  conversationId: 'conversation',
  title: 'discord: Hi',
  images: [],
  ask: async () => ({ decision: 'deny' }),
  left: new AbortController().signal,
};
const UUID = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** Agents of a daemon that writes down what is launched. */
function world(answers: Promise<void> = Promise.resolve()) {
  const warnings: string[] = [];
  const launched: Record<string, unknown>[] = [];
  const client = {
    launch: async (request: Record<string, unknown>) => {
      launched.push(request);
      await answers;
      const run = new ScriptedRun(async () => 'Hello');
      return Object.assign(run, { task: { session_id: 'baton session' } });
    },
    backends: { get: async (id: string) => ({ probe: { installed: id.startsWith('claude') } }) },
  } as unknown as BatonClient;
  const config = testConfig({ allowedTools: [], backendMaxTurns: 7 });
  const agents = daemonAgents(new Registry(), client, URL, config, {
    warn: (warning) => void warnings.push(warning),
  });
  const run = async (context: Partial<MessageContext> = {}, sessionId?: string) => {
    const adapter = await agents.adapter({ backend: 'claude' }, { ...CONTEXT, ...context });
    return adapter.execute('Hi', 'Be brief.', sessionId);
  };
  return { agents, launched, run, warnings };
}

describe('the agents of a daemon', () => {
  test('run in a new session, whose id is kept', async () => {
    const { run, launched } = world();
    expect(await run()).toEqual({
      isError: false,
      responseText: 'Hello',
      sessionId: 'baton session',
    });
    expect(launched).toMatchObject([
      {
        ...{ prompt: 'Hi', systemPrompt: 'Be brief.', backend: 'claude', title: 'discord: Hi' },
        ...{ cwd: '/nowhere/workspace', permissionMode: 'ask', maxTurns: 7 },
        newSession: expect.stringMatching(UUID),
        taskId: expect.stringMatching(UUID),
      },
    ]);
    expect(launched[0]).not.toHaveProperty('batonSession');
  });

  test('report a daemon that does not answer, and wait for it', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const answers = Promise.withResolvers<void>();
    const { run, launched, warnings } = world(answers.promise);
    const executed = run();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(launched).toHaveLength(1);
    expect(warnings).toEqual([`The daemon at ${URL} does not answer. A message waits for it.`]);
    answers.resolve();
    expect(await executed).toMatchObject({ responseText: 'Hello' });
  });

  test('go on in their session', async () => {
    const { run, launched } = world();
    await run({}, 'baton session');
    expect(launched).toMatchObject([{ batonSession: 'baton session' }]);
    expect(launched[0]).not.toHaveProperty('newSession');
  });

  test('join the task of the same turn, and begin another one for another turn', async () => {
    const { run, launched } = world();
    await run();
    await run();
    await run({ turnId: 'retried' });
    await run({ conversationId: 'other' });
    const [first, again, retried, other] = launched;
    expect(again?.taskId).toBe(first?.taskId);
    expect(again?.newSession).toBe(first?.newSession);
    expect(retried?.taskId).not.toBe(first?.taskId);
    expect(other?.newSession).not.toBe(first?.newSession);
  });

  test('have sessions that no other daemon has', () => {
    const { agents } = world();
    expect(agents.sessionName('claude')).toBe(`claude@${URL}`);
    expect(agents.place).toBe(URL);
  });

  test('are checked by the daemon', async () => {
    const { agents } = world();
    expect(await agents.validate('claude')).toEqual({ isInstalled: true, path: URL });
    expect(await agents.validate('codex')).toEqual({ isInstalled: false, path: URL });
  });

  test('have the names that people type', () => {
    const { agents } = world();
    expect(agents.names).toContain('claude');
    expect(agents.nameOf('claude-code')).toBe('claude');
    expect(() => agents.nameOf('nope')).toThrow('Unknown backend "nope".');
  });
});
