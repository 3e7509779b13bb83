import { describe, expect, test } from 'vitest';
import { PromptUsage } from './usage.ts';

const first = (usage: object) => new PromptUsage(undefined, true).read({ ...usage });

// The model said: 1000 in, 100 of them cached; 50 out, 7 of them thoughts.
describe('the total shows what the counts include', () => {
  test.each([
    ['cache and thoughts', { inputTokens: 1000, outputTokens: 50, totalTokens: 1050 }],
    ['thoughts', { inputTokens: 900, outputTokens: 50, totalTokens: 1050 }],
    ['cache', { inputTokens: 1000, outputTokens: 43, totalTokens: 1050 }],
    ['neither', { inputTokens: 900, outputTokens: 43, totalTokens: 1050 }],
  ])('%s', (_name, counts) => {
    expect(first({ ...counts, cachedReadTokens: 100, thoughtTokens: 7 })).toEqual({
      inputTokens: 1000,
      cachedInputTokens: 100,
      cacheWriteTokens: 0,
      outputTokens: 50,
      reasoningTokens: 7,
      totalTokens: 1050,
    });
  });

  test('nothing is said where no reading gives the total, or two do', () => {
    expect(first({ inputTokens: 5, outputTokens: 5, totalTokens: 99 })).toBeUndefined();
    const either = { inputTokens: 90, outputTokens: 50, cachedReadTokens: 7, thoughtTokens: 7 };
    expect(first({ ...either, totalTokens: 147 })).toBeUndefined();
    expect(first({ ...either, totalTokens: 154 })).toMatchObject({ inputTokens: 97 });
  });

  test('without a total only counts that can mean one thing are taken', () => {
    expect(first({ inputTokens: 5, outputTokens: 3 })).toMatchObject({ totalTokens: 8 });
    expect(first({ inputTokens: 3, cachedReadTokens: 4 })).toMatchObject({ inputTokens: 7 });
    expect(first({ inputTokens: 9, cachedReadTokens: 4 })).toBeUndefined();
    expect(first({ inputTokens: 9, outputTokens: 9, thoughtTokens: 2 })).toBeUndefined();
    expect(first({})).toBeUndefined();
  });
});

describe('the counts of later prompts', () => {
  const counts = (input: number, output: number) => ({
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output,
  });
  const totals = (usage: PromptUsage, ...told: object[]) =>
    told.map((each) => usage.read({ ...each })?.totalTokens);

  test('of a session are reduced by those of the prompts before', () => {
    const session = new PromptUsage('session', true);
    expect(totals(session, counts(1000, 50), counts(2000, 100), counts(4000, 200))).toEqual([
      1050, 1050, 2100,
    ]);
  });

  test('of a session that was resumed are unknown at first', () => {
    const session = new PromptUsage('session', false);
    expect(totals(session, counts(1000, 50), counts(2000, 100))).toEqual([undefined, 1050]);
  });

  test('of a prompt are taken as they are', () => {
    const prompt = new PromptUsage('prompt', false);
    expect(totals(prompt, counts(1000, 50), counts(2000, 100))).toEqual([1050, 2100]);
  });

  test('of an unknown scope that grow may be either', () => {
    const unknown = new PromptUsage(undefined, true);
    expect(totals(unknown, counts(1000, 50), counts(2000, 100))).toEqual([1050, undefined]);
    expect(totals(new PromptUsage(undefined, false), counts(1000, 50))).toEqual([undefined]);
  });

  test('of an unknown scope that shrink are those of the prompt', () => {
    const unknown = new PromptUsage(undefined, true);
    expect(totals(unknown, counts(1000, 50), counts(2000, 40), counts(3000, 90))).toEqual([
      1050, 2040, 3090,
    ]);
  });

  test('of a part of the prompt say nothing', () => {
    expect(totals(new PromptUsage('part', true), counts(1000, 50))).toEqual([undefined]);
  });
});
