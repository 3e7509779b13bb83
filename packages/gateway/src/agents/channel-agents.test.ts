import { Registry } from '@baton/agents/registry/registry';
import type { AgentRun, Host, HostedRun, HostRequest, RunOptions } from '@baton/protocol';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { allAgents } from '../config/agent-list.ts';
import type { GatewayConfig } from '../config/load-config.ts';
import { testConfig } from '../testing/gateway-world.ts';
import { ScriptedAgents, ScriptedRun } from '../testing/scripted-agents.ts';
import { ChannelAgents, type MessageContext } from './channel-agents.ts';

const URL = 'http://127.0.0.1:7500';
const CONTEXT: MessageContext = {
  turnId: 'turn',
  conversationId: 'conversation',
  title: 'discord: Hi',
  images: [],
  ask: async () => ({ decision: 'deny' }),
  see: () => {},
  signal: new AbortController().signal,
  left: new AbortController().signal,
};
const UUID = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

type WorldOptions = {
  place?: string | undefined;
  /** Settles when the host answers. */
  answers?: Promise<void>;
  config?: Partial<GatewayConfig>;
};

/** Agents of a host that records the launched requests; in a daemon by default. */
function world({ answers = Promise.resolve(), config = {}, ...more }: WorldOptions = {}) {
  const { place = 'place' in more ? undefined : URL } = more;
  const warnings: string[] = [];
  const launched: HostRequest[] = [];
  const host: Host = Object.assign(
    new ScriptedAgents({ installed: ['claude'], ...(place ? { place } : {}) }),
    {
      launch: async (request: HostRequest): Promise<HostedRun<AgentRun<never>>> => {
        launched.push(request);
        await answers;
        const run = new ScriptedRun(async () => 'Hello') as AgentRun<never>;
        return { run, sessionId: place && 'baton session', leave: () => {} };
      },
    },
  );
  const agents = new ChannelAgents({
    host,
    list: allAgents(new Registry()),
    config: testConfig({ allowedTools: [], backendMaxTurns: 7, ...config }),
    log: { warn: (warning) => void warnings.push(warning) },
  });
  const run = (context: Partial<MessageContext> = {}, sessionId?: string, backend = 'claude') => {
    const prompt = { prompt: 'Hi', systemPrompt: 'Be brief.', sessionId };
    return agents.run({ backend, model: 'm' }, prompt, { ...CONTEXT, ...context });
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
        ...{ cwd: '/nowhere/workspace', permissionMode: 'ask', maxTurns: 7, model: 'm' },
        ...{ session: undefined, retry: { attempts: 3 } },
        newSession: expect.stringMatching(UUID),
        taskId: expect.stringMatching(UUID),
      },
    ]);
  });

  test('report a daemon that does not answer, and wait for it', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const answers = Promise.withResolvers<void>();
    const { run, launched, warnings } = world({ answers: answers.promise });
    const ended = run();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(launched).toHaveLength(1);
    expect(warnings).toEqual([`The daemon at ${URL} does not answer. A message waits for it.`]);
    answers.resolve();
    expect(await ended).toMatchObject({ responseText: 'Hello' });
  });

  test('go on in their session', async () => {
    const { run, launched } = world();
    await run({}, 'baton session');
    expect(launched).toMatchObject([{ session: 'baton session', newSession: undefined }]);
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

describe('the agents of this process', () => {
  test('run in their own sessions, without ids of a daemon', async () => {
    const { agents, run, launched } = world({ place: undefined });
    expect(await run({}, 's0')).toMatchObject({ responseText: 'Hello', sessionId: 's1' });
    expect(launched).toMatchObject([{ backend: 'claude', session: 's0', prompt: 'Hi' }]);
    for (const name of ['taskId', 'newSession', 'title']) {
      expect(launched[0]).not.toHaveProperty(name);
    }
    expect(agents.sessionName('claude')).toBe('claude');
    expect(agents.place).toBeUndefined();
  });

  test('are found with their programs', async () => {
    const { agents } = world({ place: undefined });
    expect(await agents.validate('claude')).toEqual({ isInstalled: true, path: '/opt/claude' });
  });
});

test('ignores options that an agent lacks, with a warning, but not the permission mode', async () => {
  const { run, launched, warnings } = world({ config: { allowedTools: ['Read'] } });
  await run({}, undefined, 'demo');
  const lacking: (keyof RunOptions)[] = ['model', 'tools'];
  for (const name of lacking) expect(launched[0]).not.toHaveProperty(name);
  expect(launched[0]).toMatchObject({ permissionMode: 'ask', systemPrompt: 'Be brief.' });
  expect(warnings).toEqual(
    expect.arrayContaining([
      'Demo agent does not support model; it is ignored.',
      'Demo agent does not support tools.allowed; it is ignored.',
    ]),
  );
});
