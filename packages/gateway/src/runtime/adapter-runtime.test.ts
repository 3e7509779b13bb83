import type {
  BackendAdapter,
  BackendEventResult,
  BackendFailure,
  ExecuteControls,
} from '@baton/contracts';
import { delay } from '@baton/protocol';
import { openStore, type Store } from '@baton/store';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../config/load-config.ts';
import { HookManager } from '../hooks/hook-manager.ts';
import { MarkdownConfigLoader } from '../prompt/markdown-config-loader.ts';
import { SystemPromptAssembler } from '../prompt/system-prompt-assembler.ts';
import type { GatewayEvent } from '../queue/gateway-event.ts';
import { AdapterRuntime } from './adapter-runtime.ts';
import { toEventResult } from './message-runtime.ts';

const RUNS = { numRuns: 100 };
const EVENT: GatewayEvent = {
  channelId: 'test:1',
  messageId: 'm1',
  userId: 'test:me',
  text: 'Hi',
  files: [],
};
const OK: BackendEventResult = { responseText: 'Hello.', sessionId: 's1', isError: false };
const { config } = loadConfig(
  {
    BATON_GATEWAY_USERS: 'test:me',
    BATON_GATEWAY_HOOKS: 'beforeRun=before,afterRun=after',
  },
  undefined,
  { place: { cwd: '/nowhere/workspace', home: '/nowhere/home' } },
);

let store: Store;
let calls: { prompt: string; systemPrompt: string; sessionId: string | undefined }[];
let controls: ExecuteControls[];
let pauses: number[];
let steps: string[];
beforeEach(async () => {
  calls = [];
  controls = [];
  pauses = [];
  steps = [];
  store = await openStore({ url: ':memory:' });
});
afterEach(() => store.close());

/** A runtime whose agent gives these results, the last one again and again. */
function runtimeWith(
  results: (BackendEventResult | Error)[],
  name = 'claude',
  sleep: typeof delay = async (milliseconds) => pauses.push(milliseconds) > 0,
): AdapterRuntime {
  const backend: BackendAdapter = {
    name: () => name,
    validate: async () => true,
    execute: async (prompt, systemPrompt, sessionId, onStream, given = {}) => {
      const result = results[Math.min(calls.length, results.length - 1)];
      calls.push({ prompt, systemPrompt, sessionId });
      controls.push(given);
      steps.push('execute');
      if (result === undefined || result instanceof Error) throw result;
      await onStream?.('Hel');
      return result;
    },
  };
  const log = { warn: () => {} };
  const hooks = new HookManager(config.hooks, {
    log,
    sleep: () => new Promise(() => {}),
    start: async (command, { BATON_OUTCOME: outcome }) => {
      steps.push(outcome ? `${command} ${outcome}` : command);
      const exited = Promise.resolve({ code: 0, signal: null });
      return { exited, stderr: '', stop: async () => {} };
    },
  });
  return new AdapterRuntime(
    config,
    backend,
    store.gatewaySessions,
    new MarkdownConfigLoader(config.configDir, config.workingDir, log),
    new SystemPromptAssembler(),
    hooks,
    { log, sleep },
  );
}

function failing(failure?: Partial<BackendFailure>, responseText = 'busy'): BackendEventResult {
  const facts = { isTransient: true, mayHaveActed: false, ...failure };
  return { isError: true, responseText, ...(failure ? { failure: facts } : {}) };
}

const anyResult: fc.Arbitrary<BackendEventResult> = fc.record(
  {
    responseText: fc.string(),
    sessionId: fc.string({ minLength: 1 }),
    isError: fc.boolean(),
  },
  { requiredKeys: ['isError'] },
);

// Feature: multi-cli-backend, Property 9: EventResult mapping preserves semantics
test('maps any result of a backend to a result of the gateway', () => {
  fc.assert(
    fc.property(anyResult, fc.string(), (result, channelId) => {
      const mapped = toEventResult(result, channelId);
      expect(mapped.targetChannelId).toBe(channelId);
      if (result.isError) {
        expect(mapped.error).toBe(result.responseText);
        expect(mapped).not.toHaveProperty('responseText');
      } else {
        expect(mapped.responseText).toBe(result.responseText);
        expect(mapped.sessionId).toBe(result.sessionId);
        expect(mapped).not.toHaveProperty('error');
      }
    }),
    RUNS,
  );
});

// Feature: multi-cli-backend, Property 10: Session ID storage after backend execution
test('stores the session id of any result for its channel', async () => {
  const sessions = store.gatewaySessions;
  const before = fc.option(fc.constant('earlier session'), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(fc.uuid(), anyResult, before, async (channelId, result, earlier) => {
      calls = [];
      if (earlier !== undefined) await sessions.set(channelId, 'claude', earlier);
      await sessions.set(channelId, 'codex', 'other backend');
      await runtimeWith([result]).process({ ...EVENT, channelId });
      expect(await sessions.get(channelId, 'claude')).toBe(result.sessionId ?? earlier);
      expect(await sessions.get(channelId, 'codex')).toBe('other backend');
    }),
    RUNS,
  );
});

describe('the runtime', () => {
  test('runs a message in the session of its channel', async () => {
    await store.gatewaySessions.set('test:1', 'claude', 's0');
    expect(await runtimeWith([OK]).process(EVENT)).toEqual({
      responseText: 'Hello.',
      targetChannelId: 'test:1',
      sessionId: 's1',
    });
    expect(calls).toEqual([
      {
        prompt: 'Hi',
        systemPrompt: expect.stringContaining('You answer in a chat channel.'),
        sessionId: 's0',
      },
    ]);
  });

  test('keeps a session per backend', async () => {
    await runtimeWith([OK]).process(EVENT);
    calls = [];
    await runtimeWith([{ ...OK, sessionId: 's2' }], 'codex').process(EVENT);
    expect(calls[0]?.sessionId).toBeUndefined();
    expect(await store.gatewaySessions.get('test:1', 'claude')).toBe('s1');
    expect(await store.gatewaySessions.get('test:1', 'codex')).toBe('s2');
  });

  test('announces the agent after the first hook and before the prompt', async () => {
    const agentStarts = async () => void steps.push('agent starts');
    await runtimeWith([OK]).process(EVENT, { agentStarts });
    expect(steps).toEqual(['before', 'agent starts', 'execute', 'after answered']);
    steps = [];
    await runtimeWith([failing({ isTransient: false })]).process(EVENT);
    expect(steps.at(-1)).toBe('after failed');
  });

  test('names attached files in the prompt', async () => {
    const file = { source: 'https://x', name: 'a.png', mediaType: 'image/png', bytes: 3 };
    await runtimeWith([OK]).process({ ...EVENT, files: [file] });
    expect(calls[0]?.prompt).toBe(
      'Hi\n\nFiles attached in the chat, which you cannot read:\n- a.png (image/png, 3 bytes)',
    );
  });
});

describe('a failure', () => {
  test('is retried three times, from five seconds, if the agent provably did nothing', async () => {
    const attempts: number[] = [];
    const onRetry = (attempt: number) => void attempts.push(attempt);
    const result = await runtimeWith([failing({})]).process(EVENT, { onRetry });
    expect(calls).toHaveLength(4);
    expect(pauses).toEqual([5000, 10_000, 20_000]);
    expect(attempts).toEqual([1, 2, 3]);
    expect(result).toEqual({ error: 'busy', targetChannelId: 'test:1', offerRetry: true });
  });

  test('is forgotten when a retry succeeds', async () => {
    const result = await runtimeWith([failing({}), failing({}), OK]).process(EVENT);
    expect(result.responseText).toBe('Hello.');
    expect(pauses).toEqual([5000, 10_000]);
  });

  test.each([
    ['the agent may have acted', failing({ mayHaveActed: true })],
    ['the adapter does not know what happened', failing()],
    ['the adapter throws', new Error('busy')],
  ])('is left to the user if %s', async (_name, failure) => {
    const result = await runtimeWith([failure]).process(EVENT);
    expect(calls).toHaveLength(1);
    expect(result).toEqual({ error: 'busy', targetChannelId: 'test:1', offerRetry: true });
  });

  test('that is not transient is neither retried nor offered for a retry', async () => {
    const result = await runtimeWith([failing({ isTransient: false })]).process(EVENT);
    expect(calls).toHaveLength(1);
    expect(result.offerRetry).toBe(false);
  });

  test('without a text still is an error', async () => {
    const result = await runtimeWith([{ isError: true }]).process(EVENT);
    expect(result.error).toBe('The agent failed without a message.');
  });
});

describe('a run that is stopped', () => {
  const STOPPED = { error: 'Stopped', targetChannelId: 'test:1', offerRetry: false };

  test('passes the signal on to the backend', async () => {
    const { signal } = new AbortController();
    await runtimeWith([OK]).process(EVENT, { signal });
    expect(controls).toEqual([{ signal }]);
  });

  test('is not retried', async () => {
    const stopper = new AbortController();
    const { signal } = stopper;
    const onStream = async () => stopper.abort();
    expect(await runtimeWith([failing({})]).process(EVENT, { signal, onStream })).toEqual(STOPPED);
    expect(calls).toHaveLength(1);
    expect(pauses).toEqual([]);
  });

  test('ends its pause before a retry at once', async () => {
    const stopper = new AbortController();
    const { signal } = stopper;
    const runtime = runtimeWith([failing({})], 'claude', (_milliseconds, signal) => {
      const pause = delay(2 ** 31, signal);
      stopper.abort();
      return pause;
    });
    expect(await runtime.process(EVENT, { signal })).toEqual(STOPPED);
    expect(calls).toHaveLength(1);
  });

  test('does not start the agent if it is stopped before', async () => {
    const agentStarts = async () => void steps.push('starts');
    const observer = { signal: AbortSignal.abort(), agentStarts };
    expect(await runtimeWith([OK]).process(EVENT, observer)).toEqual(STOPPED);
    expect(steps).toEqual(['before', 'after failed']);
  });

  test('keeps its session', async () => {
    const result = { ...failing({ isTransient: false }, 'Stopped'), sessionId: 's1' };
    await runtimeWith([result]).process(EVENT);
    expect(await store.gatewaySessions.get('test:1', 'claude')).toBe('s1');
  });
});

describe('a session that the agent cannot continue', () => {
  test.each([
    ['by code', failing({ code: 'session_not_found' }, 'gone')],
    ['in the words of Claude', failing(undefined, 'No conversation found with session ID: s0')],
    ['in other words', failing(undefined, 'Session s0 is corrupted')],
  ])('is removed, and the next message starts fresh: %s', async (_name, failure) => {
    await store.gatewaySessions.set('test:1', 'claude', 's0');
    const runtime = runtimeWith([failure, OK]);
    const result = await runtime.process(EVENT);
    expect(calls, 'not retried').toHaveLength(1);
    expect(result).toMatchObject({ error: failure.responseText, offerRetry: true });
    expect(await store.gatewaySessions.get('test:1', 'claude')).toBeUndefined();
    await runtime.process(EVENT);
    expect(calls.map(({ sessionId }) => sessionId)).toEqual(['s0', undefined]);
    expect(await store.gatewaySessions.get('test:1', 'claude')).toBe('s1');
  });

  test('is not stored again under its own id', async () => {
    await store.gatewaySessions.set('test:1', 'claude', 's0');
    const failure = { ...failing({ code: 'session_not_found' }), sessionId: 's0' };
    await runtimeWith([failure]).process(EVENT);
    expect(await store.gatewaySessions.get('test:1', 'claude')).toBeUndefined();
  });

  test('is kept if the failure is of another kind', async () => {
    await store.gatewaySessions.set('test:1', 'claude', 's0');
    await runtimeWith([failing(undefined, 'Query timed out')]).process(EVENT);
    expect(await store.gatewaySessions.get('test:1', 'claude')).toBe('s0');
  });
});
