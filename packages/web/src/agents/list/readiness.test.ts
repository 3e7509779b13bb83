import type { BackendRecord } from '@baton/client';
import { expect, test } from 'vitest';
import { firstChoice, readinessOf } from './readiness.ts';

const found = { installed: true, credentials: 'found', problems: [] };
const backend = (id: string, probe: object) =>
  ({ id, probe: { ...found, ...probe } }) as unknown as BackendRecord;

test('an agent is ready unless it is missing, has no key, or has a problem', () => {
  expect(readinessOf(backend('a', {}))).toBe('ready');
  expect(readinessOf(backend('a', { credentials: 'not_needed' }))).toBe('ready');
  expect(readinessOf(backend('a', { credentials: 'missing' }))).toBe('needs-key');
  expect(readinessOf(backend('a', { installed: false }))).toBe('needs-install');
  expect(readinessOf(backend('a', { problems: [{}] }))).toBe('broken');
});

test('a real agent that is ready comes first, and the demo when there is none', () => {
  const demo = backend('demo', {});
  const missing = backend('claude', { installed: false });
  expect(firstChoice([missing, demo])).toBe('demo');
  expect(firstChoice([demo, missing, backend('codex', {})])).toBe('codex');
  expect(firstChoice([])).toBe('demo');
});
