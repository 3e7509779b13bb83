import {
  type AgentEvent,
  BatonError,
  type PendingRequest,
  type RequestAnswer,
  type RunOptions,
} from '@baton/protocol';
import type { BackendFailure } from '@baton/runtime/contracts';
import { Registry } from '@baton/runtime/internal';
import { describe, expect, test, vi } from 'vitest';
import { ScriptedRun, type Stage } from '../testing/scripted-agents.ts';
import { type AskInChat, LaunchAdapter, type StartRun } from './launch-adapter.ts';
import { RunLeft } from './run-left.ts';

type WorldOptions = {
  play?: (stage: Stage) => Promise<string>;
  start?: (input: StartRun) => Promise<{ run: ScriptedRun; sessionId?: string }>;
  ask?: AskInChat;
  timeoutMs?: number;
  left?: AbortSignal;
  stopMs?: number;
  options?: RunOptions;
};

/** An adapter for one run of a script. */
function world({ play = async () => 'Hello', start, ask, ...more }: WorldOptions = {}) {
  const warnings: string[] = [];
  const started: StartRun[] = [];
  const runs: ScriptedRun[] = [];
  const asked: PendingRequest[] = [];
  const events: AgentEvent[] = [];
  const streamed: string[] = [];
  const failures: BackendFailure[] = [];
  const adapter = new LaunchAdapter({
    ...{
      name: 'demo',
      label: 'Demo agent',
      capabilities: new Registry().entry('demo').capabilities,
    },
    ...{ options: {}, timeoutMs: 0 },
    ...more,
    log: { warn: (warning) => void warnings.push(warning) },
    isInstalled: async () => true,
    ask: async (pending, signal) => {
      asked.push(pending);
      return ask ? ask(pending, signal) : { decision: 'allow' };
    },
    start:
      start ??
      (async (input) => {
        started.push(input);
        const run = new ScriptedRun(play);
        runs.push(run);
        input.signal?.addEventListener('abort', () => void run.cancel());
        return { run };
      }),
  });
  const execute = (signal?: AbortSignal) =>
    adapter.execute('Hi', 'Be brief.', 's0', async (text) => void streamed.push(text), {
      onEvent: (event) => void events.push(event),
      onFailure: (failure) => void failures.push(failure),
      signal,
    });
  return { adapter, execute, started, runs, asked, events, streamed, failures, warnings };
}

const forever = () => new Promise<never>(() => {});

describe('a launched agent', () => {
  test('gets prompt, system prompt and session, and gives its answer and session', async () => {
    const { execute, started, streamed, events } = world({
      play: async (stage) => {
        stage.say('Hel');
        stage.emit('message.delta', { messageId: 'm2', kind: 'thinking', text: 'Hm' });
        stage.emit('message.delta', { messageId: 'm3', kind: 'text', text: 'sub', parentId: 't' });
        stage.say('lo');
        return 'Hello';
      },
    });
    expect(await execute()).toEqual({ isError: false, responseText: 'Hello', sessionId: 's1' });
    expect(started).toMatchObject([
      { prompt: 'Hi', sessionId: 's0', options: { systemPrompt: 'Be brief.' } },
    ]);
    expect(streamed).toEqual(['Hel', 'lo']);
    expect(events.map(({ type }) => type)).toEqual([
      'run.started',
      ...Array.from({ length: 4 }, () => 'message.delta'),
      'run.completed',
    ]);
  });

  test('has the session of the daemon rather than its own', async () => {
    const { execute } = world({
      start: async () => ({ run: new ScriptedRun(async () => 'Hello'), sessionId: 'd1' }),
    });
    expect(await execute()).toMatchObject({ sessionId: 'd1' });
  });

  test('reports a failure, after which it may have acted', async () => {
    const { execute, failures } = world({
      play: async () => {
        throw new BatonError('provider_error', 'The model is overloaded.');
      },
    });
    expect(await execute()).toMatchObject({
      isError: true,
      responseText: 'The model is overloaded.',
    });
    expect(failures).toEqual([{ code: 'provider_error', isTransient: true, mayHaveActed: true }]);
  });

  test('reports what was refused before the start, with what to do', async () => {
    const { execute, failures } = world({
      start: async () => {
        throw new BatonError('capability_missing', 'It cannot ask.', { hint: 'Use another one.' });
      },
    });
    expect(await execute()).toEqual({
      isError: true,
      responseText: 'It cannot ask. Use another one.',
    });
    expect(failures).toEqual([
      { code: 'capability_missing', isTransient: false, mayHaveActed: false },
    ]);
  });

  test('may have acted if its run can no longer be followed', async () => {
    const { execute, failures } = world({
      start: async () => {
        const run = new ScriptedRun(forever);
        run[Symbol.asyncIterator] = async function* () {
          yield* [];
          throw new BatonError('daemon_unreachable', 'The daemon is gone.');
        };
        return { run };
      },
    });
    expect(await execute()).toMatchObject({ isError: true });
    expect(failures).toEqual([
      { code: 'daemon_unreachable', isTransient: true, mayHaveActed: true },
    ]);
  });

  test('ignores options that it lacks, with a warning, but not the permission mode', async () => {
    const options = {
      model: 'gpt-5',
      tools: { allowed: ['Read'] },
      permissionMode: 'ask',
    } as const;
    const { execute, started, warnings } = world({
      options: { ...options, tools: { allowed: ['Read'] } },
    });
    await execute();
    expect(started[0]?.options).toEqual({ permissionMode: 'ask', systemPrompt: 'Be brief.' });
    expect(warnings).toEqual([
      'Demo agent does not support model; it is ignored.',
      'Demo agent does not support tools.allowed; it is ignored.',
    ]);
  });

  test('is stopped by the signal', async () => {
    const { execute, runs } = world({ play: (stage) => stage.until(forever()) });
    const stop = new AbortController();
    const executed = execute(stop.signal);
    await vi.waitFor(() => expect(runs).toHaveLength(1));
    stop.abort();
    expect(await executed).toMatchObject({ isError: true, responseText: 'Stopped' });
  });

  test('stops when its events cannot be handled', async () => {
    const { adapter, runs } = world({ play: (stage) => stage.until(forever()) });
    const executed = adapter.execute('Hi', '', undefined, undefined, {
      onEvent: () => {
        throw new Error('boom');
      },
    });
    await expect(executed).rejects.toThrow('boom');
    expect(runs[0]).toMatchObject({ isLeft: true, isStopped: true });
  });
});

describe('the timeout', () => {
  test('stops an agent that works for too long', async () => {
    const { execute, runs, failures } = world({
      timeoutMs: 10,
      play: (stage) => stage.until(forever()),
    });
    expect(await execute()).toMatchObject({ isError: true, responseText: 'Query timed out' });
    expect(runs[0]?.cancels[0]).toBe('Query timed out');
    expect(failures).toMatchObject([{ isTransient: true, mayHaveActed: true }]);
  });

  test('does not count the time in which people are asked', async () => {
    const answers: ((answer: RequestAnswer) => void)[] = [];
    const { execute, asked } = world({
      timeoutMs: 1000,
      ask: () => new Promise((resolve) => answers.push(resolve)),
      play: async (stage) => {
        const settled = [stage.askPermission(), stage.askPermission()];
        return (await Promise.all(settled)).map(({ decision }) => decision).join();
      },
    });
    vi.useFakeTimers();
    try {
      const executed = execute();
      await vi.waitFor(() => expect(asked).toHaveLength(2));
      await vi.advanceTimersByTimeAsync(5000);
      answers[0]?.({ decision: 'allow' });
      await vi.advanceTimersByTimeAsync(5000);
      answers[1]?.({ decision: 'deny' });
      expect(await executed).toMatchObject({ responseText: 'allow,deny' });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('what an agent asks', () => {
  test('is asked in the chat, and answered', async () => {
    const { execute, asked } = world({
      play: async (stage) => (await stage.askPermission()).decision,
    });
    expect(await execute()).toMatchObject({ responseText: 'allow' });
    expect(asked).toMatchObject([{ kind: 'permission' }]);
  });

  test('is denied if the chat cannot be asked', async () => {
    const { execute, warnings } = world({
      ask: async () => {
        throw new Error('The channel is gone.');
      },
      play: async (stage) => {
        const permission = await stage.askPermission();
        const question = await stage.askQuestion({ id: 'q', question: 'Why?', options: [] });
        return `${permission.decision} by ${permission.by}, ${question.answers}`;
      },
    });
    expect(await execute()).toMatchObject({ responseText: 'deny by nobody, undefined' });
    const warning = 'The chat could not be asked: The channel is gone.';
    expect(warnings).toEqual([warning, warning]);
  });

  test('is withdrawn when it was answered elsewhere', async () => {
    const signals: AbortSignal[] = [];
    const { execute, runs, warnings } = world({
      ask: (_pending, signal) => {
        signals.push(signal);
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('no longer needed'))),
        );
      },
      play: async (stage) => (await stage.askPermission({ requestId: 'p1' })).by,
    });
    const executed = execute();
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    runs[0]?.settle('p1', { decision: 'allow', by: 'policy' });
    expect(await executed).toMatchObject({ responseText: 'policy' });
    expect(signals[0]?.aborted).toBe(true);
    expect(runs[0]?.answers).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test('is withdrawn when the run ends', async () => {
    let signal: AbortSignal | undefined;
    const { execute } = world({
      ask: (_pending, given) => {
        signal = given;
        return forever();
      },
      play: async (stage) => {
        stage.askPermission().catch(() => {});
        return 'Done without it';
      },
    });
    await execute();
    expect(signal?.aborted).toBe(true);
  });
});

describe('stopping a run whose daemon does not answer', () => {
  const left = new AbortController().signal;

  test('ends a message that the daemon has not got', async () => {
    const stop = new AbortController();
    const { execute } = world({ left, start: forever });
    const executed = execute(stop.signal);
    stop.abort();
    expect(await executed).toEqual({ isError: true, responseText: 'Stopped' });
  });

  test('ends a message after a while, and does not wait for its run', async () => {
    const stop = new AbortController();
    const run = new ScriptedRun((stage) => stage.until(forever()));
    const { execute, events } = world({ left, stopMs: 1, start: async () => ({ run }) });
    const executed = execute(stop.signal);
    await vi.waitFor(() => expect(events).toHaveLength(1));
    stop.abort();
    expect(await executed).toEqual({ isError: true, responseText: 'Stopped' });
    expect(run.isLeft).toBe(false);
  });
});

describe('leaving a run to its daemon', () => {
  test('does not stop the run', async () => {
    const left = new AbortController();
    const { execute, runs, events } = world({
      left: left.signal,
      play: (stage) => stage.until(forever()),
    });
    const executed = execute();
    await vi.waitFor(() => expect(events).toHaveLength(1));
    left.abort();
    await expect(executed).rejects.toThrow(RunLeft);
    expect(runs[0]).toMatchObject({ cancels: [], isLeft: false, isStopped: false });
  });

  test('does not wait for a daemon that does not answer', async () => {
    const left = new AbortController();
    const { execute } = world({ left: left.signal, start: forever });
    const executed = execute();
    left.abort();
    await expect(executed).rejects.toThrow(RunLeft);
  });

  test('withdraws what was asked', async () => {
    const left = new AbortController();
    let signal: AbortSignal | undefined;
    const { execute, runs } = world({
      left: left.signal,
      ask: (_pending, given) => {
        signal = given;
        return forever();
      },
      play: async (stage) => (await stage.askPermission()).decision,
    });
    const executed = execute();
    await vi.waitFor(() => expect(signal).toBeDefined());
    left.abort();
    await expect(executed).rejects.toThrow(RunLeft);
    expect(signal?.aborted).toBe(true);
    expect(runs[0]?.answers).toEqual([]);
  });
});
