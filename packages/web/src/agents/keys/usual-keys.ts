import type { BackendRecord } from '@baton/client';

const KEYS: Readonly<Record<string, string>> = {
  'claude-cli': 'ANTHROPIC_API_KEY',
  'codex-cli': 'OPENAI_API_KEY',
  'gemini-cli': 'GEMINI_API_KEY',
};

/** The keys that agents usually need, those of the agents that lack one first. */
export function usualKeys(backends: readonly Pick<BackendRecord, 'id' | 'probe'>[]): string[] {
  const lacking = backends.filter(({ probe }) => probe.credentials === 'missing');
  const names = lacking.map(({ id }) => KEYS[id]).filter((name) => name !== undefined);
  return [...new Set([...names, ...Object.values(KEYS)])];
}
