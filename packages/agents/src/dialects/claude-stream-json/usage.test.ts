import { describe, expect, test } from 'vitest';
import { result } from './testing/stage.ts';
import { UsageMeter } from './usage.ts';

const MODEL = 'claude-opus-5-5';

function models(inputTokens: number, outputTokens: number, costUSD: number, name = MODEL) {
  return { [name]: { inputTokens, outputTokens, costUSD, contextWindow: 1000 } };
}

/** A result of Claude, with what it counts for the turn and for the session. */
function ended(total: number, modelUsage: object, more: object = {}) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  return { ...result({ total_cost_usd: total, modelUsage, usage, ...more }) } as Record<
    string,
    unknown
  >;
}

describe('the cost of a resumed session', () => {
  test('is what Claude reports since its last result, if it does', () => {
    const meter = new UsageMeter();
    const first = ended(0.3, models(300, 30, 0.3), {
      model_usage_since_last_result: models(100, 10, 0.1),
    });
    const second = ended(0.5, models(500, 50, 0.5), {
      model_usage_since_last_result: models(200, 20, 0.2),
    });
    expect(meter.end(first)).toMatchObject({ inputTokens: 100, outputTokens: 10, costUsd: 0.1 });
    expect(meter.end(second)).toMatchObject({ inputTokens: 200, outputTokens: 20, costUsd: 0.2 });
  });

  test('is otherwise the difference to the totals that the session began with', () => {
    const meter = new UsageMeter({ costUsd: 0.2, models: models(200, 20, 0.2) });
    expect(meter.end(ended(0.3, models(300, 30, 0.3)))).toMatchObject({
      inputTokens: 100,
      outputTokens: 10,
      costUsd: 0.1,
    });
  });

  test('is the total itself where Claude restarted its count', () => {
    const meter = new UsageMeter({ costUsd: 0.2, models: models(200, 20, 0.2) });
    expect(meter.end(ended(0.1, models(100, 10, 0.1)))).toMatchObject({
      inputTokens: 100,
      costUsd: 0.1,
    });
  });
});

describe('an agent that prints the format of Claude', () => {
  const RESULT = { type: 'result', subtype: 'success', result: 'Hi', session_id: 's' };

  test('has no usage if it reports none', () => {
    expect(new UsageMeter().end(RESULT)).toBeUndefined();
  });

  test('has no cost if it reports only tokens', () => {
    const usage = new UsageMeter().end({
      ...RESULT,
      usage: { input_tokens: 3, output_tokens: 2 },
    });
    expect(usage).toMatchObject({ inputTokens: 3, outputTokens: 2, costUsd: undefined });
  });
});

describe('tokens', () => {
  test('are those of all models, sub-agents included', () => {
    const usage = { ...models(100, 10, 0.1), ...models(50, 5, 0.01, 'claude-haiku-5') };
    expect(new UsageMeter().end(ended(0.11, usage))).toMatchObject({
      inputTokens: 150,
      outputTokens: 15,
      totalTokens: 165,
    });
  });

  test('are never fewer than the sum of the messages', () => {
    const meter = new UsageMeter();
    meter.begin({ input_tokens: 118 });
    meter.add({ output_tokens: 159 });
    const usage = { input_tokens: 0, output_tokens: 0 };
    expect(meter.end(ended(0.1, {}, { usage }))).toMatchObject({
      inputTokens: 118,
      outputTokens: 159,
      totalTokens: 277,
    });
  });

  test('that a result already includes are not added again by a turn that Claude started itself', () => {
    const meter = new UsageMeter();
    const usage = { input_tokens: 60, output_tokens: 6 };
    const whole = models(100, 10, 0.1);
    const first = ended(0.1, whole, { usage, model_usage_since_last_result: whole });
    const own = { input_tokens: 30, output_tokens: 3 };
    const second = ended(0.1, whole, { usage: own, model_usage_since_last_result: {} });
    expect(meter.end(first)).toMatchObject({ inputTokens: 100, outputTokens: 10, costUsd: 0.1 });
    expect(meter.end(second, true)).toMatchObject({ inputTokens: 0, outputTokens: 0, costUsd: 0 });
  });

  test('of a turn that Claude started itself count for the next prompt', () => {
    const meter = new UsageMeter();
    const since = { model_usage_since_last_result: models(10, 1, 0.01) };
    meter.skip(ended(0.01, models(10, 1, 0.01), since));
    const next = ended(0.11, models(110, 11, 0.11), {
      model_usage_since_last_result: models(100, 10, 0.1),
    });
    expect(meter.end(next)).toMatchObject({ inputTokens: 110, outputTokens: 11, costUsd: 0.11 });
  });
});

describe('several sessions in one recording', () => {
  test.each([
    [0.012345, 0.001],
    [0.001, 0.012345],
  ])('cost $%f and $%f together', (one, two) => {
    const meter = new UsageMeter();
    const total = [
      meter.end(ended(one, {}, { session_id: 'one' })),
      meter.end(ended(two, {}, { session_id: 'two' })),
    ].reduce((sum, usage) => sum + (usage?.costUsd ?? 0), 0);
    expect(total).toBeCloseTo(0.013345, 9);
  });

  test('a process that continues under another session id is still one', () => {
    const meter = new UsageMeter();
    meter.end(ended(0.1, models(100, 10, 0.1), { session_id: 'one' }));
    const after = ended(0.3, models(300, 30, 0.3), { session_id: 'two' });
    expect(meter.end(after)).toMatchObject({ inputTokens: 200, costUsd: 0.2 });
  });
});

test('the context is that of the main agent', () => {
  const meter = new UsageMeter();
  meter.model = MODEL;
  meter.begin({ input_tokens: 40 });
  const usage = { other: { contextWindow: 5 }, ...models(100, 10, 0.1) };
  expect(meter.end(ended(0.1, usage))).toMatchObject({ contextWindow: 1000, contextTokens: 40 });
});

test('the input of an agent whose total includes its cache is not counted twice', () => {
  const tokens = { input_tokens: 1000, cache_read_input_tokens: 100, output_tokens: 50 };
  const used = (usage: object) =>
    new UsageMeter().end({ ...result({ usage }) } as Record<string, unknown>);
  expect(used({ ...tokens, total_tokens: 1050 })).toMatchObject({ totalTokens: 1050 });
  expect(used({ ...tokens, total_tokens: 1150 })).toMatchObject({ totalTokens: 1150 });
  expect(used(tokens)).toMatchObject({ inputTokens: 1100, cachedInputTokens: 100 });
});
