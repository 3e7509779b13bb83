import {
  type AgentEvent,
  BatonError,
  type HostedRun,
  type PendingRequest,
  type RequestAnswer,
} from '@baton/protocol';
import { describe, expect, test, vi } from 'vitest';
import { ScriptedRun, type Stage } from '../testing/scripted-agents.ts';
import { type AskInChat, type ReadRunOptions, readRun } from './read-run.ts';
import { HOST_REPORT } from './run-report.ts';

type WorldOptions = Partial<
  Pick<ReadRunOptions, 'launch' | 'workMs' | 'left' | 'stopMs' | 'see'>
> & {
  play?: (stage: Stage) => Promise<string>;
  ask?: AskInChat;
};

/** A reader of one run of a script. */
function world({ play = async () => 'Hello', ask, ...more }: WorldOptions = {}) {
  const warnings: string[] = [];
  const runs: ScriptedRun[] = [];
  const asked: PendingRequest[] = [];
  const events: AgentEvent[] = [];
  const read = (signal = new AbortController().signal) =>
    readRun({
      ...{ workMs: 0, report: HOST_REPORT, signal },
      log: { warn: (warning) => void warnings.push(warning) },
      see: (event) => void events.push(event),
      ask: async (pending, settled) => {
        asked.push(pending);
        return ask ? ask(pending, settled) : { decision: 'allow' };
      },
      launch: async () => {
        const run = new ScriptedRun(play);
        runs.push(run);
        signal.addEventListener('abort', () => void run.cancel());
        return hosted(run);
      },
      ...more,
    });
  return { read, runs, asked, events, warnings };
}

function hosted(run: ScriptedRun, sessionId?: string): HostedRun {
  return { run, sessionId, leave: () => run.leave() };
}

const forever = () => new Promise<never>(() => {});

describe('a run', () => {
  test('passes its events on, and gives its answer and session', async () => {
    const { read, events } = world({
      play: async (stage) => {
        stage.say('Hel');
        stage.say('lo');
        return 'Hello';
      },
    });
    expect(await read()).toEqual({ isError: false, responseText: 'Hello', sessionId: 's1' });
    expect(events.map(({ type }) => type)).toEqual([
      'run.started',
      'message.delta',
      'message.delta',
      'run.completed',
    ]);
  });

  test('has the session of its daemon rather than that of the agent', async () => {
    const launch = async () => hosted(new ScriptedRun(async () => 'Hello'), 'd1');
    expect(await world({ launch }).read()).toMatchObject({ sessionId: 'd1' });
  });

  test('reports a failure, after which it may have acted', async () => {
    const { read } = world({
      play: async () => {
        throw new BatonError('provider_error', 'The model is overloaded.');
      },
    });
    expect(await read()).toEqual({
      isError: true,
      responseText: 'The model is overloaded.',
      sessionId: 's1',
      failure: { code: 'provider_error', isTransient: true, mayHaveActed: true },
    });
  });

  test('reports a request that the host rejects, with its hint', async () => {
    const { read } = world({
      launch: async () => {
        throw new BatonError('capability_missing', 'It cannot ask.', { hint: 'Use another one.' });
      },
    });
    expect(await read()).toEqual({
      isError: true,
      responseText: 'It cannot ask. Use another one.',
      failure: { code: 'capability_missing', isTransient: false, mayHaveActed: false },
    });
  });

  test('may have acted if it can no longer be followed', async () => {
    const { read } = world({
      launch: async () => {
        const run = new ScriptedRun(forever);
        run[Symbol.asyncIterator] = async function* () {
          yield* [];
          throw new BatonError('daemon_unreachable', 'The daemon is gone.');
        };
        return hosted(run);
      },
    });
    expect(await read()).toMatchObject({
      isError: true,
      failure: { code: 'daemon_unreachable', isTransient: true, mayHaveActed: true },
    });
  });

  test('is stopped by the signal', async () => {
    const { read, runs } = world({ play: (stage) => stage.until(forever()) });
    const stop = new AbortController();
    const ended = read(stop.signal);
    await vi.waitFor(() => expect(runs).toHaveLength(1));
    stop.abort();
    expect(await ended).toMatchObject({ isError: true, responseText: 'Stopped' });
  });

  test('stops when its events cannot be handled', async () => {
    const { read, runs } = world({
      play: (stage) => stage.until(forever()),
      see: () => {
        throw new Error('boom');
      },
    });
    await expect(read()).rejects.toThrow('boom');
    expect(runs[0]).toMatchObject({ isAbandoned: true, isStopped: true });
  });
});

describe('the timeout', () => {
  test('stops an agent that works for too long', async () => {
    const { read, runs } = world({
      workMs: 10,
      play: (stage) => stage.until(forever()),
    });
    expect(await read()).toMatchObject({
      isError: true,
      responseText: 'Query timed out',
      failure: { isTransient: true, mayHaveActed: true },
    });
    expect(runs[0]?.cancels[0]).toBe('Query timed out');
  });

  test('does not count the time in which people are asked', async () => {
    const answers: ((answer: RequestAnswer) => void)[] = [];
    const { read, asked } = world({
      workMs: 1000,
      ask: () => new Promise((resolve) => answers.push(resolve)),
      play: async (stage) => {
        const settled = [stage.askPermission(), stage.askPermission()];
        return (await Promise.all(settled)).map(({ decision }) => decision).join();
      },
    });
    vi.useFakeTimers();
    try {
      const ended = read();
      await vi.waitFor(() => expect(asked).toHaveLength(2));
      await vi.advanceTimersByTimeAsync(5000);
      answers[0]?.({ decision: 'allow' });
      await vi.advanceTimersByTimeAsync(5000);
      answers[1]?.({ decision: 'deny' });
      expect(await ended).toMatchObject({ responseText: 'allow,deny' });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('what an agent asks', () => {
  test('is asked in the chat, and answered', async () => {
    const { read, asked } = world({
      play: async (stage) => (await stage.askPermission()).decision,
    });
    expect(await read()).toMatchObject({ responseText: 'allow' });
    expect(asked).toMatchObject([{ kind: 'permission' }]);
  });

  test('is denied if the chat cannot be asked', async () => {
    const { read, warnings } = world({
      ask: async () => {
        throw new Error('The channel is gone.');
      },
      play: async (stage) => {
        const permission = await stage.askPermission();
        const question = await stage.askQuestion({ id: 'q', question: 'Why?', options: [] });
        return `${permission.decision} by ${permission.by}, ${question.answers}`;
      },
    });
    expect(await read()).toMatchObject({ responseText: 'deny by nobody, undefined' });
    const warning = 'The chat could not be asked: The channel is gone.';
    expect(warnings).toEqual([warning, warning]);
  });

  test('is withdrawn when it was answered elsewhere', async () => {
    const signals: AbortSignal[] = [];
    const { read, runs, warnings } = world({
      ask: (_pending, signal) => {
        signals.push(signal);
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('no longer needed'))),
        );
      },
      play: async (stage) => (await stage.askPermission({ requestId: 'p1' })).by,
    });
    const ended = read();
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    runs[0]?.settle('p1', { decision: 'allow', by: 'policy' });
    expect(await ended).toMatchObject({ responseText: 'policy' });
    expect(signals[0]?.aborted).toBe(true);
    expect(runs[0]?.answers).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test('is withdrawn when the run ends', async () => {
    let signal: AbortSignal | undefined;
    const { read } = world({
      ask: (_pending, given) => {
        signal = given;
        return forever();
      },
      play: async (stage) => {
        stage.askPermission().catch(() => {});
        return 'Done without it';
      },
    });
    await read();
    expect(signal?.aborted).toBe(true);
  });
});

describe('stopping a run whose daemon does not answer', () => {
  const left = new AbortController().signal;

  test('ends a message that the daemon has not got', async () => {
    const stop = new AbortController();
    const { read } = world({ left, launch: forever });
    const ended = read(stop.signal);
    stop.abort();
    expect(await ended).toEqual({ isError: true, responseText: 'Stopped' });
  });

  test('ends a message after a while, and does not wait for its run', async () => {
    const stop = new AbortController();
    const run = new ScriptedRun((stage) => stage.until(forever()));
    const { read, events } = world({ left, stopMs: 1, launch: async () => hosted(run) });
    const ended = read(stop.signal);
    await vi.waitFor(() => expect(events).toHaveLength(1));
    stop.abort();
    expect(await ended).toEqual({ isError: true, responseText: 'Stopped' });
    expect(run).toMatchObject({ isLeft: true, isStopped: false });
  });
});

describe('leaving a run to its daemon', () => {
  test('does not stop the run', async () => {
    const left = new AbortController();
    const { read, runs, events } = world({
      left: left.signal,
      play: (stage) => stage.until(forever()),
    });
    const ended = read();
    await vi.waitFor(() => expect(events).toHaveLength(1));
    left.abort();
    expect(await ended).toBeUndefined();
    expect(runs[0]).toMatchObject({ cancels: [], isLeft: true, isStopped: false });
  });

  test('does not wait for a daemon that does not answer', async () => {
    const left = new AbortController();
    const { read } = world({ left: left.signal, launch: forever });
    const ended = read();
    left.abort();
    expect(await ended).toBeUndefined();
  });

  test('withdraws what was asked', async () => {
    const left = new AbortController();
    let signal: AbortSignal | undefined;
    const { read, runs } = world({
      left: left.signal,
      ask: (_pending, given) => {
        signal = given;
        return forever();
      },
      play: async (stage) => (await stage.askPermission()).decision,
    });
    const ended = read();
    await vi.waitFor(() => expect(signal).toBeDefined());
    left.abort();
    expect(await ended).toBeUndefined();
    expect(signal?.aborted).toBe(true);
    expect(runs[0]?.answers).toEqual([]);
  });
});
