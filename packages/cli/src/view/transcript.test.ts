import type { AgentEvent } from '@baton/protocol';
import { expect, test } from 'vitest';
import { errorLines } from './error.ts';
import { eventText } from './transcript.ts';

const EVIL = '\u001b]52;c;eHh4\u0007\u009bx';

// A session that was imported can say anything in any of its fields.
test.each<object>([
  { type: 'run.started', backend: EVIL, transport: EVIL },
  { type: 'permission.resolved', decision: 'deny', by: EVIL, reason: EVIL },
  { type: 'notice', level: 'info', code: EVIL, message: EVIL },
  { type: 'plan.updated', entries: [{ status: EVIL, text: EVIL }] },
  { type: 'run.completed', outcome: 'failed', error: { code: EVIL, message: EVIL } },
])('a terminal obeys nothing of %o', (event) => {
  expect(eventText(event as AgentEvent)?.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});

test('a terminal obeys nothing of an error', () => {
  const [line] = errorLines({ code: EVIL, message: EVIL, retryable: false });
  expect(line).toBe('error (x): x');
});
