import type { AgentEvent } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { brokenPromises } from './event-promises.ts';

type Body = { type: string } & Record<string, unknown>;

const started: Body = { type: 'run.started', backend: 'b', transport: 't', cwd: '/' };
const completed: Body = { type: 'run.completed', outcome: 'done', output: '', durationMs: 0 };
const message: Body = { type: 'message.started', messageId: 'm', kind: 'text' };
const delta: Body = { type: 'message.delta', messageId: 'm', kind: 'text', text: 'Hi' };
const whole: Body = { type: 'message.completed', messageId: 'm', kind: 'text', text: 'Hi' };
const tool: Body = { type: 'tool.started', callId: 'c', name: 'n', action: { type: 'other' } };

/** Numbers some events as a run would. */
function stream(...bodies: readonly Body[]): AgentEvent[] {
  return bodies.map(
    (body, index) => ({ seq: index + 1, time: 0, runId: 'r', ...body }) as AgentEvent,
  );
}

test('a good stream breaks none', () => {
  const done = { ...tool, type: 'tool.completed', outcome: 'ok' };
  expect(brokenPromises(stream(started, message, delta, whole, tool, done, completed))).toEqual([]);
});

describe('a broken promise is named', () => {
  test.each<[string, AgentEvent[], RegExp]>([
    ['a gap in the numbers', stream(started, { ...completed, seq: 5 }), /seq 5 at 2/],
    ['an event of the wrong shape', stream(started, { type: 'notice' }, completed), /^notice: /],
    ['a message that never ends', stream(started, message, completed), /message m never ends/],
    ['a tool that never ends', stream(started, tool, completed), /tool c never ends/],
    ['a tool that starts twice', stream(started, tool, tool, completed), /starts twice/],
    ['a delta out of nowhere', stream(started, delta, completed), /without a start/],
    [
      'deltas that are not the text',
      stream(started, message, whole, completed),
      /are not its text/,
    ],
    ['no end', stream(started), /0 times run.completed/],
    ['two ends', stream(started, completed, completed), /2 times run.completed/],
    ['something after the end', stream(started, completed, message, whole), /not last/],
    ['something before the start', stream(message, whole, started, completed), /not first/],
    ['nothing at all', [], /0 times run.completed/],
  ])('%s', (_name, events, problem) => {
    expect(brokenPromises(events).join('\n')).toMatch(problem);
  });
});
