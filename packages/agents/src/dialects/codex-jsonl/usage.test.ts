import { expect, test } from 'vitest';
import { minus, readTokens } from './usage.ts';

test('tokens are read in the formats of exec and of the app server', () => {
  const tokens = { input: 100, cached: 11, cacheWrite: 2, output: 44, reasoning: 5 };
  expect(
    readTokens({
      input_tokens: 100,
      cached_input_tokens: 11,
      cache_write_input_tokens: 2,
      output_tokens: 44,
      reasoning_output_tokens: 5,
    }),
  ).toEqual(tokens);
  expect(
    readTokens({
      inputTokens: 100,
      cachedInputTokens: 11,
      cacheWriteInputTokens: 2,
      outputTokens: 44,
      reasoningOutputTokens: 5,
    }),
  ).toEqual(tokens);
});

test('a difference is never negative', () => {
  const more = readTokens({ input_tokens: 5, output_tokens: 1 });
  const less = readTokens({ input_tokens: 3, output_tokens: 2 });
  expect(minus(more, less)).toMatchObject({ input: 2, output: 0 });
});
