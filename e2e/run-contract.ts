import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type {
  AgentEvent,
  AgentRun,
  EventOf,
  EventType,
  LaunchRequest,
  PendingRequest,
  RequestAnswer,
} from '@baton/protocol';
import { describe, expect, test } from 'vitest';

/** One way to start runs of the demo agent. */
export type RunStarter = {
  start(prompt: string, options?: Partial<LaunchRequest>): Promise<AgentRun>;
  /** The folder that the agent works in. */
  cwd(): string;
  /** True if users outside this program can answer requests too, so that it cannot know that no user is there. */
  isShared: boolean;
};

/** The prompt that makes the demo agent do some steps. */
export const script = (...steps: object[]) => `demo:script ${JSON.stringify(steps)}`;

const STALL = script({ say: 'Hello.' }, { stall: true });
const SHELL = script({ shell: 'true' }, { say: 'Next.' });
const QUESTION = script({ question: { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] } });

/** The contract of a run handle: the same for a local run, a conversation and a run through a daemon. */
export function runContract(name: string, starter: RunStarter): void {
  const { start, isShared } = starter;

  describe(`${name}: events and result`, () => {
    test('gives the events in order, and the result once, as the last one', async () => {
      const run = await start(script({ think: 'Hm.' }, { say: 'Hello.' }));
      const events = await readAll(run);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(events[0]?.type).toBe('run.started');
      expect(events.filter(({ type }) => type === 'run.completed')).toEqual([events.at(-1)]);
      expect(events.at(-1)).toMatchObject(await run.result);
      expect(await run.result).toBe(await run.result);
    });

    test('changes nothing when the result is read', async () => {
      const marker = `${crypto.randomUUID()}.txt`;
      const steps = script({ write: { path: marker, content: '' } }, { shell: 'true' });
      const run = await start(steps, { permissionMode: 'auto' });
      const { result } = run;
      await expect.poll(() => existsSync(join(starter.cwd(), marker))).toBe(true);
      const receipts: unknown[] = [];
      for await (const event of run) {
        if (event.type !== 'permission.requested' || event.tool !== 'shell') continue;
        receipts.push(await run.answer(event.requestId, { decision: 'allow' }));
      }
      expect(receipts).toEqual(['accepted']);
      expect((await result).outcome).toBe('done');
    });

    test('can be iterated only once', async () => {
      const run = await start(script({ say: 'Hi.' }));
      await readAll(run);
      expect(() => run[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: 'usage' }));
      expect(() => run.text()).toThrow(/once/);
      expect(() => run.toSSE()).toThrow(/once/);
      await expect(run.collect()).rejects.toMatchObject({ code: 'usage' });
    });
  });

  describe(`${name}: collect()`, () => {
    test('gives the result without iterating, as often as it is called', async () => {
      const run = await start(script({ flood: 3000 }, { say: 'Done.' }));
      const result = await run.collect();
      expect(result).toMatchObject({ outcome: 'done', output: 'Done.' });
      expect(await run.collect()).toBe(result);
      expect(() => run[Symbol.asyncIterator]()).toThrow(/collect/);
    });

    if (!isShared) {
      test('denies at once what nobody handles', async () => {
        const run = await start(SHELL);
        expect(await run.collect()).toMatchObject({ outcome: 'done', output: 'Next.' });
      });
    }

    test('leaves requests to the handler', async () => {
      const asked: string[] = [];
      const run = await start(SHELL, {
        onRequest: ({ kind }) => {
          asked.push(kind);
          return { decision: 'allow' };
        },
      });
      expect(await run.collect()).toMatchObject({ outcome: 'done' });
      expect(asked).toEqual(['permission']);
    });
  });

  describe(`${name}: leaving the loop`, () => {
    test('by break cancels the run', async () => {
      const run = await start(STALL);
      for await (const event of run) if (event.type === 'message.completed') break;
      expect(await run.result).toMatchObject({ outcome: 'cancelled' });
    });

    test('by an error cancels the run and passes the error on', async () => {
      const run = await start(STALL);
      const reading = async () => {
        for await (const event of run) {
          if (event.type === 'message.completed') throw new Error('mine');
        }
      };
      await expect(reading()).rejects.toThrow('mine');
      expect(await run.result).toMatchObject({ outcome: 'cancelled' });
    });

    test('works at once while the agent is silent', async () => {
      const run = await start(STALL);
      const events = run[Symbol.asyncIterator]();
      await readTo(events, 'message.completed');
      const silent = readTo(events, 'run.completed');
      await events.return?.();
      expect(await silent).toBeUndefined();
      expect(await run.result).toMatchObject({ outcome: 'cancelled' });
    });

    test('after the last event changes nothing', async () => {
      const run = await start(script({ say: 'Hi.' }));
      for await (const event of run) if (event.type === 'run.completed') break;
      expect(await run.result).toMatchObject({ outcome: 'done' });
    });
  });

  describe(`${name}: stopping`, () => {
    test('happens when the signal is aborted, before or during the run', async () => {
      const early = await start(STALL, { signal: AbortSignal.abort() });
      expect(await early.collect()).toMatchObject({ outcome: 'cancelled' });
      const stop = new AbortController();
      const run = await start(STALL, { signal: stop.signal });
      for await (const event of run) if (event.type === 'message.completed') stop.abort();
      expect(await run.result).toMatchObject({ outcome: 'cancelled' });
    });

    test('twice gives the same report', async () => {
      const run = await start(STALL);
      const reports: Promise<unknown>[] = [];
      for await (const event of run) {
        if (event.type === 'message.completed') reports.push(run.cancel('Enough.'), run.cancel());
      }
      const [one, two] = await Promise.all(reports);
      expect(one).toMatchObject({ state: 'stopped' });
      expect(two).toEqual(one);
      expect((await run.result).stop).toEqual(one);
    });
  });

  describe(`${name}: requests`, () => {
    test('are answered once; a later or unknown answer says so', async () => {
      const run = await start(SHELL);
      const receipts: unknown[] = [];
      for await (const event of run) {
        if (event.type !== 'permission.requested') continue;
        receipts.push(await run.answer('other', { decision: 'allow' }));
        receipts.push(await run.answer(event.requestId, { decision: 'deny' }));
        receipts.push(await run.answer(event.requestId, { decision: 'allow' }));
      }
      expect(receipts).toEqual(['unknown', 'accepted', 'late']);
    });

    test('reject an answer that does not fit, and stay open', async () => {
      const run = await start(SHELL);
      const wrong = { answers: {} } as RequestAnswer;
      for await (const event of run) {
        if (event.type !== 'permission.requested') continue;
        await expect(run.answer(event.requestId, wrong)).rejects.toMatchObject({ code: 'usage' });
        // A caller may ignore the promise.
        void run.answer(event.requestId, wrong);
        expect(await run.answer(event.requestId, { decision: 'deny' })).toBe('accepted');
      }
      expect((await run.result).outcome).toBe('done');
    });

    test('abort the signal of the handler when somebody else answers', async () => {
      const { onRequest, signals } = silentHandler();
      const run = await start(SHELL, { onRequest });
      for await (const event of run) {
        if (event.type !== 'permission.requested') continue;
        await expect.poll(() => signals.length).toBe(1);
        await run.answer(event.requestId, { decision: 'allow' });
      }
      expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    });

    test('abort the signal of the handler when the run stops', async () => {
      const { onRequest, signals } = silentHandler();
      const run = await start(SHELL, { onRequest });
      for await (const event of run) {
        if (event.type !== 'permission.requested') continue;
        await expect.poll(() => signals.length).toBe(1);
        void run.cancel();
      }
      expect((await run.result).outcome).toBe('cancelled');
      await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true]);
    });

    test('do not abort the signal of a handler that answered', async () => {
      const signals: AbortSignal[] = [];
      const run = await start(SHELL, {
        onRequest: (_pending, { signal }) => {
          signals.push(signal);
          return { decision: 'allow' };
        },
      });
      await readAll(run);
      expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    });

    test.each(['deny', 'allow'] as const)(
      '%s by timeout what nobody answers',
      async (otherwise) => {
        const { onRequest, signals } = silentHandler();
        const run = await start(SHELL, { onRequest, requests: { timeoutMs: 50, otherwise } });
        const resolved = first(await readAll(run), 'permission.resolved');
        expect(resolved).toMatchObject({ decision: otherwise, by: 'timeout' });
        await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true]);
      },
    );

    test('decline by timeout a question that nobody answers', async () => {
      const run = await start(QUESTION, { requests: { timeoutMs: 50, otherwise: 'allow' } });
      const resolved = first(await readAll(run), 'question.resolved');
      expect(resolved).toMatchObject({ by: 'timeout' });
      expect(resolved.answers).toBeUndefined();
    });
  });

  describe(`${name}: steering`, () => {
    test('is taken while the agent works, and rejected after the end', async () => {
      const run = await start(STALL);
      const seen: string[] = [];
      for await (const event of run) {
        if (event.type === 'message.completed') await run.steer('Be quick.');
        if (event.type !== 'notice' || event.code !== 'steered') continue;
        seen.push(event.message);
        void run.cancel();
      }
      expect(seen).toEqual(['Be quick.']);
      void run.steer('Ignored.');
      await expect(run.steer('Again.')).rejects.toMatchObject({ name: 'BatonError' });
    });
  });

  describe(`${name}: text()`, () => {
    test('gives the text of the answer as it comes', async () => {
      const run = await start(script({ think: 'Hm.' }, { say: 'One.' }, { say: 'Two.' }));
      let text = '';
      for await (const piece of run.text()) text += piece;
      expect(text).toBe('One.\n\nTwo.');
      expect((await run.result).outcome).toBe('done');
    });

    test('cancels the run when its loop is left', async () => {
      const run = await start(STALL);
      for await (const _piece of run.text()) break;
      expect(await run.result).toMatchObject({ outcome: 'cancelled' });
    });
  });

  describe(`${name}: toSSE()`, () => {
    test('is a response with one message per event', async () => {
      const run = await start(script({ say: 'Hi.' }));
      const body = await new Response(run.toSSE()).text();
      const messages = body.split('\n\n').filter((message) => message !== '');
      const events = messages.map((message) =>
        JSON.parse(/^data: (.*)$/m.exec(message)?.[1] ?? ''),
      );
      expect(messages[0]).toMatch(/^id: 1\n/);
      expect(events.at(-1)).toMatchObject({ type: 'run.completed', outcome: 'done' });
    });

    test('cancels the run at once when its reader leaves', async () => {
      const run = await start(STALL);
      const reader = run.toSSE().pipeThrough(new TextDecoderStream()).getReader();
      while (!(await reader.read()).value?.includes('message.completed'));
      const silent = reader.read();
      await reader.cancel();
      expect((await silent).done).toBe(true);
      expect(await run.result).toMatchObject({ outcome: 'cancelled' });
    });
  });
}

function silentHandler() {
  const signals: AbortSignal[] = [];
  const onRequest = (_pending: PendingRequest, { signal }: { signal: AbortSignal }) => {
    signals.push(signal);
    return new Promise<RequestAnswer>(() => {});
  };
  return { onRequest, signals };
}

async function readAll(run: AgentRun): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

/** Reads up to an event of a type; undefined if the events end before. */
async function readTo(
  events: AsyncIterator<AgentEvent>,
  type: EventType,
): Promise<AgentEvent | undefined> {
  for (;;) {
    const { value, done } = await events.next();
    if (done) return undefined;
    if (value.type === type) return value;
  }
}

function first<Type extends EventType>(events: AgentEvent[], type: Type): EventOf<Type> {
  const found = events.find((event): event is EventOf<Type> => event.type === type);
  if (!found) throw new Error(`There is no ${type}.`);
  return found;
}
