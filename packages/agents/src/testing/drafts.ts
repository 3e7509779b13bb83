import type { EventDraft } from '@baton/engine/definition/dialect';
import type { Action, PermissionScope, PlanEntry, Question } from '@baton/protocol';
import fc from 'fast-check';

/** Few names, so that drafts meet again. */
const id = fc.constantFrom('a', 'b', 'c');
const text = fc.oneof(
  fc.constantFrom('', 'Hi', 'Hi there', ' ', '\n'),
  fc.string({ unit: 'binary' }),
);
const parentId = fc.option(id, { nil: undefined });
const action: fc.Arbitrary<Action> = fc.constantFrom<Action>(
  { type: 'other' },
  { type: 'command', command: 'ls' },
  { type: 'file.read', path: 'x' },
);

/** Anything a dialect may say, in any order. */
export const anyDraft: fc.Arbitrary<EventDraft> = fc.oneof(
  fc.record({
    type: fc.constant('message.started' as const),
    messageId: id,
    kind: fc.constantFrom('text' as const, 'thinking' as const),
    parentId,
  }),
  fc.record({ type: fc.constant('message.delta' as const), messageId: id, text, parentId }),
  fc.record(
    { type: fc.constant('message.completed' as const), messageId: id, text },
    { requiredKeys: ['type', 'messageId'] },
  ),
  fc.record({ type: fc.constant('tool.started' as const), callId: id, name: id, action, parentId }),
  fc.record(
    { type: fc.constant('tool.updated' as const), callId: id, output: text, action },
    { requiredKeys: ['type', 'callId'] },
  ),
  fc.record(
    {
      type: fc.constant('tool.completed' as const),
      callId: id,
      outcome: fc.constantFrom(
        'ok' as const,
        'error' as const,
        'denied' as const,
        'cancelled' as const,
      ),
      name: id,
      action,
      output: text,
    },
    { requiredKeys: ['type', 'callId', 'outcome'] },
  ),
  fc.record({
    type: fc.constant('permission.requested' as const),
    requestId: id,
    callId: parentId,
    tool: id,
    action,
    scopes: fc.constant<PermissionScope[]>([]),
  }),
  fc.record({
    type: fc.constant('permission.resolved' as const),
    requestId: id,
    decision: fc.constantFrom('allow', 'deny', 'cancelled'),
    by: fc.constant('agent'),
  }),
  fc.record({
    type: fc.constant('question.requested' as const),
    requestId: id,
    questions: fc.constant<Question[]>([]),
  }),
  fc.record({
    type: fc.constant('question.resolved' as const),
    requestId: id,
    by: fc.constant('agent'),
  }),
  fc.record({ type: fc.constant('run.identified' as const), nativeSessionId: id }),
  fc.record({ type: fc.constant('plan.updated' as const), entries: fc.constant<PlanEntry[]>([]) }),
  fc.record({
    type: fc.constant('usage.updated' as const),
    usage: fc.record({ costUsd: fc.nat() }),
  }),
  fc.record({
    type: fc.constant('notice' as const),
    level: fc.constant('info' as const),
    code: id,
    message: text,
  }),
  fc.record({
    type: fc.constant('unparsed' as const),
    source: fc.constant('stdout' as const),
    line: text,
  }),
  fc.record({
    type: fc.constant('file.changed' as const),
    path: id,
    kind: fc.constant('add' as const),
    callId: parentId,
  }),
);
