import type { AgentEvent, EventOf, EventType } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MENTIONS, neutralizeMentions } from '../text/mentions.ts';
import { LiveText } from './live-text.ts';

const LIMIT = 2000;

function event<Type extends EventType>(
  type: Type,
  body: Omit<EventOf<Type>, 'type' | 'seq' | 'time' | 'runId'>,
): AgentEvent {
  return { type, seq: 1, time: 1, runId: 'r', ...body } as unknown as AgentEvent;
}

function says(text: string, messageId = 'm1', more: { parentId?: string } = {}): AgentEvent {
  return event('message.delta', { messageId, kind: 'text', text, ...more });
}

function startsTool(command: string, callId = 't1'): AgentEvent {
  return event('tool.started', { callId, name: 'shell', action: { type: 'command', command } });
}

function endsTool(callId = 't1'): AgentEvent {
  const action = { type: 'command', command: '' } as const;
  return event('tool.completed', { callId, name: 'shell', action, outcome: 'ok' });
}

function rendered(events: readonly AgentEvent[], limit = LIMIT): string {
  const live = new LiveText();
  for (const each of events) live.see(each);
  return live.render(limit, MENTIONS.discord);
}

describe('the live text', () => {
  test('is empty before anything was said', () => {
    expect(rendered([])).toBe('');
    expect(
      rendered([event('message.delta', { messageId: 'm', kind: 'thinking', text: 'Hm' })]),
    ).toBe('');
  });

  test('is what the agent says, in all of its messages', () => {
    expect(rendered([says('Hello, '), says('you.\n')])).toBe('Hello, you.');
    expect(rendered([says('First.'), says('Second.', 'm2')])).toBe('First.\n\nSecond.');
  });

  test('does not repeat what a failed attempt said', () => {
    const starts = event('message.started', { messageId: 'm1', kind: 'text' });
    expect(rendered([starts, says('Hello'), starts, says('Hello again')])).toBe('Hello again');
  });

  test('leaves what the answer does not contain', () => {
    const live = new LiveText();
    const summary = (isFailed: boolean) => live.summary(LIMIT, MENTIONS.discord, isFailed);
    expect([live.hasEarlier, summary(false)]).toEqual([false, '💬 The answer is below.']);
    for (const each of [says('Three bugs.'), startsTool('ls'), endsTool(), says('Done.', 'm2')]) {
      live.see(each);
    }
    expect([live.hasEarlier, summary(false)]).toEqual([true, 'Three bugs.\n\n🔧 1 tool used']);
    expect(summary(true)).toBe('Three bugs.\n\nDone.\n\n🔧 1 tool used');
  });

  test('leaves out what sub-agents say, but not what they do', () => {
    expect(rendered([says('secret', 'm9', { parentId: 't1' })])).toBe('');
    expect(rendered([{ ...startsTool('ls'), parentId: 't0' }])).toBe('⏳ `$ ls` · 1 tool');
  });

  test('shows the last running tool, and how many were used', () => {
    expect(rendered([says('Let me see.'), startsTool('ls')])).toBe(
      'Let me see.\n\n⏳ `$ ls` · 1 tool',
    );
    expect(rendered([startsTool('ls'), startsTool('cat', 't2')])).toBe('⏳ `$ cat` · 2 tools');
    expect(rendered([startsTool('ls'), endsTool()])).toBe('⏳ 1 tool used');
  });

  test('keeps the name of a tool that describes itself better later', () => {
    const started = event('tool.started', {
      callId: 't1',
      name: 'WebSearch',
      action: { type: 'other' },
    });
    const updated = event('tool.updated', {
      callId: 't1',
      action: { type: 'other', description: 'cats' },
    });
    expect(rendered([started, updated])).toBe('⏳ `WebSearch: cats` · 1 tool');
  });

  test('shortens paths in the working directory', () => {
    const started = event('run.started', { backend: 'demo', transport: 'live', cwd: '/work' });
    const tool = event('tool.started', {
      callId: 't1',
      name: 'read',
      action: { type: 'file.read', path: '/work/a.ts' },
    });
    expect(rendered([started, tool])).toBe('⏳ `Read a.ts` · 1 tool');
  });

  test('is empty again when the prompt runs again', () => {
    const live = new LiveText();
    live.see(says('half an ans'));
    live.see(startsTool('ls'));
    live.restart();
    expect(live.render(LIMIT, MENTIONS.discord)).toBe('');
  });

  test('shows the end of a long text', () => {
    const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join('\n');
    const text = rendered([says(lines)]);
    expect(text.endsWith('line 999')).toBe(true);
    expect(text.length).toBeLessThanOrEqual(LIMIT);
  });

  test('does not let a command break out of its code span', () => {
    expect(rendered([startsTool('echo `id` @everyone\nls')])).toBe(
      "⏳ `$ echo 'id' @\u200beveryone ⏎ ls` · 1 tool",
    );
  });

  test('never exceeds the limit and never mentions anyone, whatever happens', () => {
    const pieces = fc.oneof(
      fc.constantFrom(
        '@everyone',
        '@here',
        '<@',
        '1>',
        '<@&2>',
        '```js\n',
        '~~~',
        '`',
        '\n\n',
        '😀',
      ),
      fc.string({ maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 30 }),
    );
    const texts = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(''));
    const ids = fc.constantFrom('a', 'b', 'c');
    const events = fc.oneof(
      fc.tuple(texts, ids).map(([text, id]) => says(text, id)),
      fc.tuple(texts, ids).map(([text, id]) => startsTool(text, id)),
      ids.map((id) => endsTool(id)),
    );
    fc.assert(
      fc.property(
        fc.array(events, { maxLength: 20 }),
        fc.integer({ min: 400, max: 4000 }),
        (list, limit) => {
          const text = rendered(list, limit);
          expect(text.length).toBeLessThanOrEqual(limit);
          expect(neutralizeMentions(text, MENTIONS.discord)).toBe(text);
        },
      ),
      { numRuns: 300 },
    );
  });
});
