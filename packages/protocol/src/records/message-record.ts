import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { permissionScopeSchema } from '../permission.ts';
import type { Entry } from '../transcript/entry.ts';
import { momentSchema } from './session-record.ts';

/** Content of the message for a permission request. */
export const permissionContentSchema = z.looseObject({
  request_id: z.string(),
  tool_name: z.string(),
  tool_params: z.unknown(),
  status: z.enum(['pending', 'approved', 'denied']),
  /** Id of the user who answered, even with a denial; otherwise the kind of automatic decision, such as `policy`. */
  approved_by: z.string().optional(),
  reason: z.string().optional(),
});
export type PermissionContent = Closed<z.infer<typeof permissionContentSchema>>;

/** A transcript entry as the service `messages` returns it. */
export const messageRecordSchema = z.looseObject({
  message_id: z.string(),
  session_id: z.string(),
  task_id: z.string().nullable(),
  /** `permission_request`, or the kind of the entry. */
  type: z.string(),
  role: z.enum(['user', 'assistant', 'system']),
  /** The cursor of its first event: messages are shown in this order. */
  index: z.int(),
  timestamp: momentSchema,
  content: z.unknown(),
});
export type MessageRecord = Closed<z.infer<typeof messageRecordSchema>>;

/** Converts a transcript entry to a message. */
export function messageOf(sessionId: string, entry: Entry): MessageRecord {
  return {
    message_id: `${sessionId}.${entry.cursor}`,
    session_id: sessionId,
    task_id: entry.taskId ?? null,
    type: entry.kind === 'permission' ? 'permission_request' : entry.kind,
    role: roleOf(entry),
    index: entry.cursor,
    timestamp: new Date(entry.time).toISOString(),
    content: contentOf(entry),
  };
}

function roleOf({ kind }: Entry): MessageRecord['role'] {
  if (kind === 'prompt') return 'user';
  return kind === 'notice' || kind === 'stop' || kind === 'change' ? 'system' : 'assistant';
}

function contentOf(entry: Entry): unknown {
  if (entry.kind === 'prompt' || entry.kind === 'text' || entry.kind === 'thinking') {
    return entry.text;
  }
  if (entry.kind === 'permission') return permissionContent(entry);
  const {
    key: _key,
    taskId: _task,
    cursor: _cursor,
    through: _through,
    time: _time,
    ...rest
  } = entry;
  return rest;
}

function permissionContent(entry: Extract<Entry, { kind: 'permission' }>): PermissionContent {
  const { request, decision, by, reason, open, answer, answeredBy } = entry;
  const approvedBy = answeredBy ?? by;
  const decided = decision ?? (answer && 'decision' in answer ? answer.decision : undefined);
  const isPending = open && decided === undefined;
  return {
    request_id: request.requestId,
    tool_name: request.tool,
    tool_params: request.input,
    status: isPending ? 'pending' : decided === 'allow' ? 'approved' : 'denied',
    ...(approvedBy === undefined ? {} : { approved_by: approvedBy }),
    ...(reason === undefined ? {} : { reason }),
    action: request.action,
    scopes: permissionScopeSchema.options,
    editable: request.editable ?? false,
  } as PermissionContent;
}
