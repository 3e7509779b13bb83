import fc from 'fast-check';
import { applyPatch } from 'rfc6902';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../event.ts';
import type { LogEvent } from '../session/session-event.ts';
import { SAMPLE_EVENTS } from '../testing/sample-events.ts';
import { ConversationView, foldConversation } from './conversation-view.ts';
import type { NormalizedConversation, NormalizedEntry } from './normalized-entry.ts';

type Body = { type: string; [field: string]: unknown };

function events(...bodies: Body[]): AgentEvent[] {
  return bodies.map(
    (body, index) => ({ seq: index + 1, time: 7, runId: 'r', ...body }) as AgentEvent,
  );
}

/** Applies patches as a reader with any JSON Patch library would. */
function applied(batches: readonly (readonly (AgentEvent | LogEvent)[])[]): NormalizedConversation {
  const view = new ConversationView();
  const conversation: NormalizedConversation = { entries: [] };
  for (const batch of batches) {
    // Patches travel as JSON.
    const patch = JSON.parse(JSON.stringify(view.patch(batch)));
    expect(applyPatch(conversation, patch).filter(Boolean)).toEqual([]);
  }
  return conversation;
}

/** Joins the pieces of texts, so that comparisons ignore where they were split. */
function joined({ entries }: NormalizedConversation): unknown {
  return JSON.parse(JSON.stringify(entries)).map((entry: NormalizedEntry) => {
    if (entry.type === 'Plan') return entry;
    if (entry.type !== 'ToolUse') return { ...entry, content: entry.content.join('') };
    return { ...entry, result: { ...entry.result, output: entry.result.output.join('') } };
  });
}

const say = (text: string, messageId = 'm') => [
  { type: 'message.started', messageId, kind: 'text' },
  { type: 'message.delta', messageId, kind: 'text', text },
  { type: 'message.completed', messageId, kind: 'text', text },
];

test('shows the model, thoughts, text, tools and errors in the words of the contract', () => {
  const command = { type: 'command', command: 'ls' };
  const run = events(
    { type: 'run.started', backend: 'x', transport: 'print', cwd: '/w' },
    { type: 'run.identified', nativeSessionId: 's', model: 'opus' },
    { type: 'run.identified', nativeSessionId: 's', model: 'opus' },
    { type: 'message.completed', messageId: 't', kind: 'thinking', text: 'Hm.' },
    ...say('Let me look.'),
    { type: 'tool.started', callId: 'c', name: 'Bash', action: command },
    { type: 'tool.updated', callId: 'c', output: 'a\n' },
    {
      type: 'tool.completed',
      callId: 'c',
      name: 'Bash',
      action: { ...command, exitCode: 3 },
      outcome: 'error',
      output: 'a\nb\n',
    },
    { type: 'notice', level: 'info', code: 'text', message: 'npm warn old' },
    { type: 'notice', level: 'info', code: 'text', message: 'Cannot reach the server.' },
    {
      type: 'run.completed',
      outcome: 'failed',
      error: { code: 'auth', message: 'No key.', hint: 'Set KEY.' },
    },
  );
  const at = { timestamp: 7 };
  expect(foldConversation(run).entries).toEqual([
    { ...at, type: 'SystemMessage', content: ['System initialized with model: opus'] },
    { ...at, type: 'Thinking', content: ['Hm.'] },
    { ...at, type: 'AssistantMessage', content: ['Let me look.'] },
    {
      ...at,
      type: 'ToolUse',
      callId: 'c',
      toolName: 'Bash',
      action: { type: 'CommandRun', command: 'ls' },
      status: 'Failed',
      result: { type: 'CommandRunResult', output: ['a\nb\n'], exitCode: 3 },
    },
    { ...at, type: 'SystemMessage', content: ['npm warn old'] },
    { ...at, type: 'ErrorMessage', content: ['Cannot reach the server.'] },
    { ...at, type: 'ErrorMessage', content: ['No key. Set KEY.'] },
  ]);
});

test('marks a tool that awaits approval, until the request is resolved', () => {
  const view = new ConversationView();
  const action = { type: 'file.edit', changes: [{ path: 'a', kind: 'add' }] };
  const [started, requested, allowed, resolved, completed] = events(
    { type: 'tool.started', callId: 'c', name: 'Write', action },
    { type: 'permission.requested', requestId: 'q', callId: 'c', tool: 'Write', action },
    { type: 'permission.resolved', requestId: 'q', decision: 'allow', by: 'user' },
    { type: 'permission.resolved', requestId: 'q', decision: 'deny', by: 'user' },
    { type: 'tool.completed', callId: 'c', name: 'Write', action, outcome: 'denied' },
  ) as [AgentEvent, AgentEvent, AgentEvent, AgentEvent, AgentEvent];
  view.patch([started]);
  const path = '/entries/0/status';
  expect(view.patch([requested])).toEqual([{ op: 'replace', path, value: 'AwaitingApproval' }]);
  expect(view.patch([allowed])).toEqual([{ op: 'replace', path, value: 'Running' }]);
  view.patch([requested]);
  expect(view.patch([resolved])).toEqual([]);
  expect(view.patch([completed])).toEqual([{ op: 'replace', path, value: 'Denied' }]);
});

test('adds text as a piece of its own length', () => {
  const view = new ConversationView();
  view.patch(events({ type: 'message.started', messageId: 'm', kind: 'text' }));
  const delta = events({ type: 'message.delta', messageId: 'm', kind: 'text', text: 'more' });
  expect(view.patch(delta)).toEqual([{ op: 'add', path: '/entries/0/content/-', value: 'more' }]);
  expect(view.patch([...delta, ...delta])).toEqual([
    { op: 'add', path: '/entries/0/content/-', value: 'moremore' },
  ]);
});

test('needs bytes in proportion to the text, however many pieces it has', () => {
  const bytes = (pieces: number) => {
    const view = new ConversationView();
    const deltas = Array.from({ length: pieces }, () => ({
      type: 'message.delta',
      messageId: 'm',
      kind: 'text',
      text: 'x'.repeat(20),
    }));
    const text = 'x'.repeat(20 * pieces);
    const all = events(...deltas, {
      type: 'message.completed',
      messageId: 'm',
      kind: 'text',
      text,
    });
    return all.reduce((sum, event) => sum + JSON.stringify(view.patch([event])).length, 0);
  };
  expect(bytes(10_000) / bytes(1000)).toBeCloseTo(10, 1);
});

test('corrects a text whose pieces were not all there', () => {
  const run = events(
    { type: 'message.started', messageId: 'm', kind: 'text' },
    { type: 'message.completed', messageId: 'm', kind: 'text', text: 'Whole.' },
  );
  expect(applied(run.map((event) => [event])).entries).toEqual(foldConversation(run).entries);
  expect(foldConversation(run).entries).toMatchObject([{ content: ['Whole.'] }]);
});

test('keeps tasks with equal ids apart', () => {
  const [first, second] = [events(...say('one')), events(...say('two'))].map((all, task) =>
    all.map((event, n) => ({ ...event, taskId: `t${task}`, cursor: n + 1 }) as LogEvent),
  ) as [LogEvent[], LogEvent[]];
  const mixed = first.flatMap((event, n) => [event, second[n] as LogEvent]);
  expect(foldConversation(mixed).entries).toMatchObject([
    { content: ['one'] },
    { content: ['two'] },
  ]);
});

describe('for any events', () => {
  const ids = fc.constantFrom('a', 'b');
  const event = fc
    .tuple(fc.constantFrom(...SAMPLE_EVENTS), ids, ids, fc.string({ maxLength: 5 }))
    .map(([sample, id, task, text]) => ({
      ...sample,
      ...('messageId' in sample ? { messageId: id } : {}),
      ...('callId' in sample ? { callId: id } : {}),
      ...('requestId' in sample ? { requestId: id } : {}),
      ...('text' in sample ? { text } : {}),
      ...('output' in sample ? { output: text } : {}),
      taskId: task,
    }))
    .map((value) => value as unknown as LogEvent);

  test('the patches give the same entries as folding all events at once', () => {
    const batches = fc.array(fc.array(event, { maxLength: 8 }), { maxLength: 12 });
    fc.assert(
      fc.property(batches, (all) => {
        const folded = joined(foldConversation(all.flat()));
        expect(joined(applied(all))).toEqual(folded);
        expect(joined(applied(all.flat().map((one) => [one])))).toEqual(folded);
      }),
    );
  });

  test('does not change the events', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (all) => {
        const before = structuredClone(all);
        foldConversation(all);
        expect(all).toEqual(before);
      }),
    );
  });
});
