import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import { z } from 'zod';
import {
  all,
  assertNothingSurvives,
  demoLine,
  demoWorld,
  finish,
  first,
  keepDemoWorlds,
  steps,
  upTo,
} from '../../../agents/src/testing/demo-world.ts';
import { denyUnattended } from './deny-request.ts';

keepDemoWorlds();

afterEach(() => {
  vi.useRealTimers();
});

describe.concurrent('limits that Baton emulates', () => {
  test('a run that costs too much is stopped, as a failure', async () => {
    const cost = (costUsd: number) => demoLine({ type: 'usage.updated', usage: { costUsd } });
    const script = `read -r o; read -r p; ${cost(0.1)}; ${cost(0.6)}; ${cost(0.7)}; read -r interrupt`;
    const run = demoWorld(script).start('Hi', { budgetUsd: 0.5 });
    const { result } = await finish(run);
    expect(result).toMatchObject({
      outcome: 'failed',
      error: { code: 'budget_exceeded' },
      stop: { state: 'stopped', killed: 0 },
    });
    expect(result.usage?.costUsd).toBe(0.7);
  });

  test('the budget is for the conversation as a whole', async () => {
    const cost = demoLine({ type: 'usage.updated', usage: { costUsd: 0.3 } });
    const done = demoLine({ type: 'turn.completed', verdict: { outcome: 'done' } });
    const world = demoWorld(`read -r o; while read -r p; do ${cost}; ${done}; done`);
    const conversation = await world.open({ budgetUsd: 0.5 });
    expect((await conversation.run('One').collect()).outcome).toBe('done');
    expect((await conversation.run('Two').collect()).error?.code).toBe('budget_exceeded');
  });

  test('an agent with too many turns is stopped, as a failure', async () => {
    const run = demoWorld().start(
      [{ say: 'One.' }, { read: '.' }, { say: 'Two.' }, { read: '.' }, { say: 'Three.' }],
      { maxTurns: 2 },
    );
    const { events, result } = await finish(run);
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'max_turns' } });
    expect(all(events, 'message.completed').map(({ text }) => text)).not.toContain('Four.');
    assertNothingSurvives(run.runId);
  });

  test('as many turns as allowed pass', async () => {
    const run = demoWorld().start([{ say: 'One.' }, { read: '.' }, { say: 'Two.' }], {
      maxTurns: 2,
    });
    expect((await finish(run)).result.outcome).toBe('done');
  });
});

describe.concurrent('an answer that must match a schema', () => {
  const outputSchema = {
    type: 'object',
    properties: { n: { type: 'number' } },
    required: ['n'],
  };

  test('is returned as a value when it matches', async () => {
    const { result } = await finish(demoWorld().start([{ say: '{"n": 1}' }], { outputSchema }));
    expect(result).toMatchObject({ outcome: 'done', output: '{"n": 1}', structured: { n: 1 } });
  });

  test('fails the run when it does not match, and keeps the answer', async () => {
    const { result } = await finish(demoWorld().start([{ say: 'Seven' }], { outputSchema }));
    expect(result).toMatchObject({
      outcome: 'failed',
      output: 'Seven',
      error: { code: 'schema_mismatch' },
    });
  });

  test('is asked for once more when that is wanted, and the usage of both turns is added', async () => {
    const turn = (text: string, totalTokens: number) =>
      [
        demoLine({ type: 'message.started', messageId: 'm', kind: 'text' }),
        demoLine({ type: 'message.delta', messageId: 'm', text }),
        demoLine({ type: 'message.completed', messageId: 'm' }),
        demoLine({ type: 'turn.completed', verdict: { outcome: 'done', usage: { totalTokens } } }),
      ].join('\n');
    const script = `read -r o; read -r p
${turn('{}', 3)}
read -r correction; echo "$correction" > correction.txt
${turn('{"n":1}', 4)}
read -r end`;
    const run = demoWorld(script).start('Hi', { outputSchema, outputSchemaRetry: true });
    const { events, result } = await finish(run);
    expect(result).toMatchObject({
      outcome: 'done',
      structured: { n: 1 },
      usage: { totalTokens: 7 },
    });
    expect(first(events, 'notice')).toMatchObject({
      code: 'retry',
      message: expect.stringContaining("required property 'n'"),
    });
  });

  test('fails when the second answer does not match either', async () => {
    const run = demoWorld().start([{ say: '{}' }], {
      outputSchema,
      outputSchemaRetry: true,
      onRequest: denyUnattended,
    });
    const { result } = await finish(run);
    expect(result.error?.code).toBe('schema_mismatch');
  });

  test.each([
    ['of an unknown type', { type: 'numbr' }],
    ['with a broken pattern', { properties: { name: { pattern: '(' } } }],
    ['with names that are no list', { required: 'name' }],
    ['with choices that are no schemas', { anyOf: ['string'] }],
  ])('%s is refused before the agent is started', (_name, wrong) => {
    expect(() => demoWorld().start([{ say: '1' }], { outputSchema: wrong })).toThrow(
      expect.objectContaining({ code: 'usage' }),
    );
  });

  test('that only Ajv finds fault with fails before the agent is started', async () => {
    const launched: string[] = [];
    const run = demoWorld().start([{ say: '1' }], {
      outputSchema: { $ref: '#/$defs/missing' },
      onLaunch: ({ file }) => launched.push(file),
    });
    expect((await run.collect()).error).toMatchObject({ code: 'config_invalid' });
    expect(launched).toEqual([]);
  });

  test('of Zod is parsed, and its mismatch is that of any schema', async () => {
    const schema = z.object({ n: z.string().transform(Number).pipe(z.number().max(9)) });
    const answer = (n: string) => steps({ say: JSON.stringify({ n }) });
    const { backend, cwd } = demoWorld();
    const run = (n: string) =>
      backend.run({ prompt: answer(n), cwd, env: { HOME: cwd }, outputSchema: schema });
    const right = await run('7').collect();
    expectTypeOf(right.structured).toEqualTypeOf<{ n: number } | undefined>();
    expect(right).toMatchObject({ outcome: 'done', structured: { n: 7 } });
    expect(await run('12').collect()).toMatchObject({
      outcome: 'failed',
      error: { code: 'schema_mismatch' },
    });
  });
});

describe.concurrent('a consumer that stops reading', () => {
  test('applies backpressure; after the timeout the run ends with no process left', async () => {
    const run = demoWorld().start('demo:flood=100000', { timeouts: { consumerMs: 300 } });
    const iterator = run[Symbol.asyncIterator]();
    await iterator.next();
    await vi.waitFor(() => assertNothingSurvives(run.runId), { timeout: 10_000, interval: 100 });
    const result = await run.result;
    expect(result).toMatchObject({
      outcome: 'failed',
      error: { code: 'consumer_stalled' },
      stop: { state: 'stopped' },
    });
    let last = await iterator.next();
    while (!last.done && last.value.type !== 'run.completed') last = await iterator.next();
    expect(last.value).toMatchObject({ type: 'run.completed', outcome: 'failed' });
  });

  test('but comes back in time loses nothing', async () => {
    const run = demoWorld().start('demo:flood=5000', { timeouts: { consumerMs: 5000 } });
    let paused = false;
    const { events, result } = await finish(run, async (event) => {
      if (paused || event.type !== 'message.delta') return;
      paused = true;
      await sleep(200);
    });
    expect(result.outcome).toBe('done');
    expect(all(events, 'message.delta')).toHaveLength(5000);
  });
});

test('a long silence is reported, and the run continues', async () => {
  const run = demoWorld().start('demo:stall');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const { rest } = await upTo(run, 'message.completed');
  await vi.advanceTimersByTimeAsync(500_000);
  vi.useRealTimers();
  await run.cancel();
  const quiet = all((await rest).events, 'notice').filter(({ code }) => code === 'quiet');
  expect(quiet).toHaveLength(1);
});
