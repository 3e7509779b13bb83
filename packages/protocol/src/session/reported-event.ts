import { z } from 'zod';
import { BatonError } from '../error.ts';
import { type AgentEvent, EVENT_TYPES, knownEventSchema } from '../event.ts';
import type { LogEvent } from './session-event.ts';

/** Component that may write an event type to the log: the executor of a task, or only the daemon. */
export type EventSource = 'executor' | 'daemon';

/** Classifies every event type. A new type does not compile until it is classified here. */
export const EVENT_SOURCES = {
  'run.started': 'executor',
  'run.identified': 'executor',
  'message.started': 'executor',
  'message.delta': 'executor',
  'message.completed': 'executor',
  'tool.started': 'executor',
  'tool.updated': 'executor',
  'tool.completed': 'executor',
  'permission.requested': 'executor',
  'permission.resolved': 'executor',
  'question.requested': 'executor',
  'question.resolved': 'executor',
  'plan.updated': 'executor',
  'usage.updated': 'executor',
  'file.changed': 'executor',
  'workspace.updated': 'executor',
  'checkpoint.created': 'executor',
  'changes.updated': 'executor',
  notice: 'executor',
  unparsed: 'executor',
  'run.completed': 'executor',
  'session.created': 'daemon',
  'session.changed': 'daemon',
  'prompt.queued': 'daemon',
  'prompt.edited': 'daemon',
  'task.started': 'daemon',
  'task.narrowed': 'daemon',
  'task.widened': 'daemon',
  'task.requeued': 'daemon',
  'task.lost': 'daemon',
  'task.paused': 'daemon',
  'task.resumed': 'daemon',
  'answer.given': 'daemon',
  'task.steered': 'daemon',
  'stop.requested': 'daemon',
  'session.notice': 'daemon',
  'work.finished': 'daemon',
  'queue.paused': 'daemon',
  'queue.resumed': 'daemon',
} as const satisfies Record<LogEvent['type'], EventSource>;

/** Drops every field that the type does not have, such as a `cursor` or a `by`. */
const reportedSchemas = new Map<string, z.ZodType>(
  knownEventSchema.options
    .filter(({ shape }) => EVENT_SOURCES[shape.type.value] === 'executor')
    .map(({ shape }) => [shape.type.value, z.object(shape)]),
);

/** Values of `by` that an executor may use. `person` is only valid for an answer that is in the log. */
const RESOLVERS: ReadonlySet<string> = new Set([
  'person',
  'policy',
  'nobody',
  'timeout',
  'agent',
  'stop',
]);

/**
 * Parses an event that an executor reports, through the API or in a spool. Throws `forbidden` for an event type that
 * executors may not write, and `usage` for an event that does not have its shape.
 */
export function reportedEvent(value: unknown): AgentEvent {
  const { type, by } = (value ?? {}) as { type?: unknown; by?: unknown };
  const schema = typeof type === 'string' ? reportedSchemas.get(type) : undefined;
  if (!schema) {
    throw new BatonError('forbidden', `An executor may not report events of type "${type}".`, {
      hint: `Executors report: ${EVENT_TYPES.filter(isReportable).join(', ')}.`,
    });
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue?.path.join('.') ?? '';
    throw new BatonError(
      'usage',
      `An event of type "${type}" is invalid: ${place}: ${issue?.message}`,
    );
  }
  if ('by' in (parsed.data as object) && !RESOLVERS.has(String(by))) {
    throw new BatonError('forbidden', `An executor may not resolve a request as "${by}".`, {
      hint: `Use one of: ${[...RESOLVERS].join(', ')}.`,
    });
  }
  return parsed.data as AgentEvent;
}

function isReportable(type: string): boolean {
  return reportedSchemas.has(type);
}
