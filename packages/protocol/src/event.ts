import { z } from 'zod';
import { type Action, actionSchema, fileChangeSchema, planEntrySchema } from './action.ts';
import type { Closed } from './closed.ts';
import { eventTimeSchema } from './event-time.ts';
import { openEnum } from './open-enum.ts';
import {
  answeredBySchema,
  permissionRequestSchema,
  permissionScopeSchema,
  questionRequestSchema,
} from './permission.ts';
import { runResultSchema } from './run-result.ts';
import { usageSchema } from './usage.ts';
import { changeSummarySchema } from './workspace/change-summary.ts';
import { checkpointRecordSchema } from './workspace/checkpoint-record.ts';
import { workspaceRecordSchema } from './workspace/workspace-record.ts';

/** Fields of every event. */
const envelope = {
  /** 1, 2, 3 … within the run, without gaps. */
  seq: z.int().positive(),
  /** Milliseconds since 1970. */
  time: eventTimeSchema,
  runId: z.string(),
  /** The turn of the agent that it belongs to, where the agent names its turns. */
  turnId: z.string().optional(),
  /** The tool call of the sub-agent that it belongs to. */
  parentId: z.string().optional(),
  /** The agent's own id for the message, tool call or request. */
  nativeId: z.string().optional(),
  /** True if Baton inferred the event; the agent did not report it. */
  synthetic: z.boolean().optional(),
};

function event<const Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
) {
  return z.looseObject({ ...envelope, type: z.literal(type), ...shape });
}

const action = actionSchema as unknown as z.ZodType<Action, Action>;
const messageKind = z.enum(['text', 'thinking']);

/** Emitted once, first: the agent is being started. */
const runStartedSchema = event('run.started', {
  backend: z.string(),
  version: z.string().optional(),
  transport: z.string(),
  model: z.string().optional(),
  cwd: z.string(),
});

/** Emitted when the agent has reported its session id, and again if the id changes. */
const runIdentifiedSchema = event('run.identified', {
  nativeSessionId: z.string(),
  version: z.string().optional(),
  model: z.string().optional(),
});

/** The agent begins a message or a thought. */
const messageStartedSchema = event('message.started', {
  messageId: z.string(),
  kind: messageKind,
});

/** More text of a message. Deltas only append; together they are the text of `message.completed`. */
const messageDeltaSchema = event('message.delta', {
  messageId: z.string(),
  kind: messageKind,
  text: z.string(),
});

/** A message is complete. Every started message is also completed. */
const messageCompletedSchema = event('message.completed', {
  messageId: z.string(),
  kind: messageKind,
  text: z.string(),
  /** True if the message was cut off; the text is the part that arrived. */
  incomplete: z.boolean().optional(),
});

/** The agent calls a tool. */
const toolStartedSchema = event('tool.started', {
  callId: z.string(),
  name: z.string(),
  action,
  input: z.unknown().optional(),
});

/** Progress of a running tool: more output, or a better description of its action. */
const toolUpdatedSchema = event('tool.updated', {
  callId: z.string(),
  output: z.string().optional(),
  action: action.optional(),
  /** The input that is used instead, because a user edited it. */
  input: z.unknown().optional(),
});

const toolOutcomeSchema = z.enum(['ok', 'error', 'denied', 'cancelled']);
export type ToolOutcome = z.infer<typeof toolOutcomeSchema>;

/** A tool has ended. Every started tool is also completed. */
const toolCompletedSchema = event('tool.completed', {
  callId: z.string(),
  name: z.string(),
  action,
  outcome: toolOutcomeSchema,
  /** The input that was used, if a user edited it. */
  input: z.unknown().optional(),
  /** The result of the tool, or its error message. */
  output: z.string().optional(),
  /** Set if the agent reported only a part of the output: the file with the whole output, and its size. */
  wholeOutput: z.looseObject({ path: z.string().optional(), bytes: z.int().optional() }).optional(),
  /** Duration without the time in which the tool waited for approval. */
  durationMs: z.number().optional(),
});

/** The agent waits for permission. */
const permissionRequestedSchema = event('permission.requested', permissionRequestSchema.shape);

/** A permission request is settled. */
const permissionResolvedSchema = event('permission.resolved', {
  requestId: z.string(),
  decision: openEnum(['allow', 'deny', 'cancelled']),
  scope: permissionScopeSchema.optional(),
  by: answeredBySchema,
  reason: z.string().optional(),
  /** The input that was allowed instead of the requested one, and its action. */
  input: z.unknown().optional(),
  action: action.optional(),
});

/** The agent asks the user a question. */
const questionRequestedSchema = event('question.requested', questionRequestSchema.shape);

/** A question is settled; without answers it was declined or withdrawn. */
const questionResolvedSchema = event('question.resolved', {
  requestId: z.string(),
  answers: z.record(z.string(), z.array(z.string())).optional(),
  by: answeredBySchema,
  reason: z.string().optional(),
});

/** The agent's whole todo list. */
const planUpdatedSchema = event('plan.updated', { entries: z.array(planEntrySchema) });

/** Usage of the run so far. */
const usageUpdatedSchema = event('usage.updated', { usage: usageSchema });

/** A file changed without a tool event that reports it; `callId` names the tool call if one is known. */
const fileChangedSchema = event('file.changed', {
  ...fileChangeSchema.shape,
  callId: z.string().optional(),
});

/** The folder that the agent works in was made, set up, taken into use or left. */
const workspaceUpdatedSchema = event('workspace.updated', {
  workspace: workspaceRecordSchema,
});

/** The files of the workspace were kept: before the prompt, and after the agent has ended. */
const checkpointCreatedSchema = event('checkpoint.created', {
  checkpoint: checkpointRecordSchema,
});

/** The files of the workspace differ from those it started from in another way than before. */
const changesUpdatedSchema = event('changes.updated', { changes: changeSummarySchema });

export const NOTICE_CODES = [
  'retry',
  'rate_limit',
  'compaction',
  'model_fallback',
  'option_ignored',
  'option_emulated',
  'deprecation',
  'background_task',
  'hook',
  'mcp_server',
  'status',
  'agent_warning',
  'stderr',
  'leftover_processes',
  'agent_replaced',
  'session_lost',
  'config_written',
  'api_key_used',
  'binary_skipped',
  'folder_untrusted',
  'quiet',
  'late_answer',
  'steered',
  'mode_widened',
  'suggestion',
  'event_refused',
  'workspace',
  'text',
] as const;
const noticeCodeSchema = openEnum(NOTICE_CODES);

/** Information that is neither an answer nor a failure. */
const noticeSchema = event('notice', {
  level: z.enum(['info', 'warning', 'error']),
  code: noticeCodeSchema,
  message: z.string(),
  data: z.unknown().optional(),
});

/** An unrecognized line, kept unchanged. */
const unparsedSchema = event('unparsed', {
  source: z.enum(['stdout', 'stderr']),
  line: z.string(),
  /** Set if the line was too long to keep whole. */
  cutBytes: z.int().optional(),
});

/** Emitted exactly once, always last. */
const runCompletedSchema = event('run.completed', runResultSchema.shape);

export const knownEventSchema = z.discriminatedUnion('type', [
  runStartedSchema,
  runIdentifiedSchema,
  messageStartedSchema,
  messageDeltaSchema,
  messageCompletedSchema,
  toolStartedSchema,
  toolUpdatedSchema,
  toolCompletedSchema,
  permissionRequestedSchema,
  permissionResolvedSchema,
  questionRequestedSchema,
  questionResolvedSchema,
  planUpdatedSchema,
  usageUpdatedSchema,
  fileChangedSchema,
  workspaceUpdatedSchema,
  checkpointCreatedSchema,
  changesUpdatedSchema,
  noticeSchema,
  unparsedSchema,
  runCompletedSchema,
]);

/** An event of a run. */
export type AgentEvent = Closed<z.infer<typeof knownEventSchema>>;
export type EventType = AgentEvent['type'];
export type EventOf<Type extends EventType> = Extract<AgentEvent, { type: Type }>;
export const EVENT_TYPES: readonly EventType[] = knownEventSchema.options.map(
  (option) => option.shape.type.value as EventType,
);

const unknownEventSchema = z.looseObject({ ...envelope, type: z.string() });

/** Parses an event. Unknown types are accepted; a known type must have its shape. */
export const eventSchema = z
  .looseObject({ type: z.string() })
  .transform((value, context): AgentEvent => {
    const isKnown = (EVENT_TYPES as readonly string[]).includes(value.type);
    const parsed = (isKnown ? knownEventSchema : unknownEventSchema).safeParse(value);
    if (parsed.success) return parsed.data as AgentEvent;
    for (const issue of parsed.error.issues) context.addIssue({ ...issue, code: 'custom' });
    return z.NEVER;
  });
