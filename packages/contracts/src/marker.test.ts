import type { AgentEvent } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COMPLETION_MARKER, MarkerDetector } from './marker.ts';

const stamp = { seq: 1, time: 0, runId: 'r' };

describe('the completion marker', () => {
  test('is found however the text is cut', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.array(fc.nat(), { maxLength: 8 }),
        (before, after, cuts) => {
          const text = `${before}${COMPLETION_MARKER}${after}`;
          expect(seen(pieces(text, cuts).map((piece) => delta(piece)))).toBe(true);
        },
      ),
    );
  });

  test('is not found where it is absent', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (texts) => {
        fc.pre(!texts.join('').includes(COMPLETION_MARKER));
        expect(seen(texts.map((text) => delta(text)))).toBe(false);
      }),
    );
  });

  test('is found in the final output when nothing was streamed', () => {
    const end: AgentEvent = {
      ...stamp,
      type: 'run.completed',
      outcome: 'done',
      output: `x ${COMPLETION_MARKER}`,
      durationMs: 1,
    };
    expect(seen([end])).toBe(true);
  });

  test('does not count in thinking, tool output or a sub-agent', () => {
    const events: AgentEvent[] = [
      delta(COMPLETION_MARKER, { kind: 'thinking' }),
      delta(COMPLETION_MARKER, { parentId: 'call' }),
      { ...stamp, type: 'tool.updated', callId: 'c', output: COMPLETION_MARKER },
      {
        ...stamp,
        type: 'tool.completed',
        callId: 'c',
        name: 't',
        action: { type: 'other' },
        outcome: 'ok',
        output: COMPLETION_MARKER,
      },
    ];
    expect(seen(events)).toBe(false);
  });

  test('is not put together from two messages', () => {
    const half = COMPLETION_MARKER.length / 2;
    const events = [
      delta(COMPLETION_MARKER.slice(0, half), { messageId: 'a' }),
      delta(COMPLETION_MARKER.slice(half), { messageId: 'b' }),
    ];
    expect(seen(events)).toBe(false);
  });
});

function seen(events: readonly AgentEvent[]): boolean {
  const detector = new MarkerDetector();
  for (const event of events) detector.see(event);
  return detector.found;
}

function delta(text: string, more: object = {}): AgentEvent {
  return { ...stamp, type: 'message.delta', messageId: 'm', kind: 'text', text, ...more };
}

function pieces(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((place, index) => text.slice(place, [...places, text.length][index]));
}
