import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasSystemPrompt, withNewSystemPrompt, withSystemPrompt } from './system-prompt.ts';

test('the system prompt comes before the prompt, separated by an empty line', () => {
  expect(withSystemPrompt('Be brief.', 'Hello')).toBe('Be brief.\n\nHello');
});

test.each([undefined, ''])('without one (%j) the prompt stays as it is', (systemPrompt) => {
  expect(withSystemPrompt(systemPrompt, 'Hello')).toBe('Hello');
});

describe('the system prompt of a session', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'system-prompt-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const has = (systemPrompt: string, ...lines: unknown[]) => {
    const path = join(folder, 'session.jsonl');
    writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
    return hasSystemPrompt([join(folder, 'missing'), path], systemPrompt);
  };
  const began = { system: ['Be kind.\n"Always".'] };
  const told = (systemPrompt: string) => ({ text: withNewSystemPrompt(systemPrompt, 'Go on.') });

  test('is the one that it began with', () => {
    expect(has('Be kind.\n"Always".', began)).toBe(true);
    expect(has('Be quick.', began)).toBe(false);
    expect(hasSystemPrompt([], 'Be kind.')).toBe(false);
  });

  test('is the last one that it was told, also one that it had before', () => {
    expect(has('Be quick.', began, told('Be quick.'), { text: 'Sure.' })).toBe(true);
    expect(has('Be kind.\n"Always".', began, told('Be quick.'))).toBe(false);
    expect(has('Be kind.\n"Always".', began, told('Be quick.'), told('Be kind.\n"Always".'))).toBe(
      true,
    );
    expect(has('Be', began, told('Be quick.'))).toBe(false);
  });
});
