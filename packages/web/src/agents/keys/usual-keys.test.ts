import type { BackendRecord } from '@baton/client';
import { expect, test } from 'vitest';
import { usualKeys } from './usual-keys.ts';

const agent = (id: string, credentials: string) =>
  ({ id, probe: { credentials } }) as unknown as BackendRecord;

test('keys of agents that lack one are suggested first, each once', () => {
  const agents = [agent('claude-cli', 'found'), agent('codex-cli', 'missing')];
  expect(usualKeys(agents)).toEqual(['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY']);
});
