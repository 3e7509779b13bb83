import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { type AgentEvent, eventSchema } from '../event.ts';
import { eventTimeSchema } from '../event-time.ts';
import {
  permissionAnswerSchema,
  permissionModeSchema,
  questionAnswerSchema,
} from '../permission.ts';
import { workspaceRecordSchema, workspaceRequestSchema } from '../workspace/workspace-record.ts';

/** Fields of every event in the log of a session. */
const envelope = {
  /** 1, 2, 3 … within the session, without gaps, assigned when the event is committed. */
  cursor: z.int().positive(),
  /** Milliseconds since 1970. */
  time: eventTimeSchema,
};
const ofTask = { taskId: z.string() };
/** The id of the user; absent if Baton itself did it. */
const by = z.string().optional();

function event<const Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
) {
  return z.looseObject({ ...envelope, type: z.literal(type), ...shape });
}

/** The policy for unanswered requests. */
export const requestPolicySchema = z.looseObject({
  afterMs: z.int().positive(),
  action: z.enum(['deny', 'allow', 'stop']),
});
export type RequestPolicy = Closed<z.infer<typeof requestPolicySchema>>;

/** Properties of a session that a user can change. */
const sessionChangesSchema = z.looseObject({
  title: z.string().optional(),
  backend: z.string().optional(),
  model: z.string().nullable().optional(),
  permissionMode: permissionModeSchema.optional(),
  requestPolicy: requestPolicySchema.nullable().optional(),
  archived: z.boolean().optional(),
});
export type SessionChanges = Closed<z.infer<typeof sessionChangesSchema>>;

/** Emitted once, first: the session was created. */
const sessionCreatedSchema = event('session.created', {
  by,
  cwd: z.string(),
  backend: z.string(),
  permissionMode: permissionModeSchema,
  title: z.string(),
  /** The session that this one is a copy of, and the cursor up to which it was copied. */
  forkedFrom: z.looseObject({ sessionId: z.string(), cursor: z.int() }).optional(),
  /** The workspace that the first task makes. */
  workspace: workspaceRequestSchema.optional(),
  /** The workspace that it has from the start: that of the session it is a copy of, or one with the files of a turn. */
  sharedWorkspace: workspaceRecordSchema.optional(),
});

/** The session itself was changed. */
const sessionChangedSchema = event('session.changed', { by, changes: sessionChangesSchema });

/** A prompt was queued. */
const promptQueuedSchema = event('prompt.queued', {
  ...ofTask,
  by,
  prompt: z.string(),
  backend: z.string(),
  model: z.string().optional(),
  permissionMode: permissionModeSchema,
  /** Further options of the run, in the form of the library. */
  options: z.record(z.string(), z.unknown()).optional(),
  attachments: z.array(z.string()).optional(),
});

/** A prompt was edited while it was queued. */
const promptEditedSchema = event('prompt.edited', { ...ofTask, by, prompt: z.string() });

/** An executor took a task. */
const taskStartedSchema = event('task.started', {
  ...ofTask,
  executorId: z.string(),
  host: z.string(),
});

/** The executor of a task ended before its agent started: the task is queued again, in its old position. */
const taskRequeuedSchema = event('task.requeued', {
  ...ofTask,
  executorId: z.string(),
  /** Number of executors of the task that ended before they started its agent. */
  failedStarts: z.int().min(0),
  /** Time at which the session last started a task before this one; restores the session's turn in the queue. */
  lastStartedAt: eventTimeSchema,
});

/** An executor runs its task with a stricter permission mode than the task was queued with. */
const taskNarrowedSchema = event('task.narrowed', {
  ...ofTask,
  by,
  executorId: z.string(),
  /** The mode that the task had before. */
  from: permissionModeSchema,
  permissionMode: permissionModeSchema,
});

/** A user lets a running task do more without asking; the executor applies it to the run and to its open requests. */
const taskWidenedSchema = event('task.widened', {
  ...ofTask,
  by,
  /** The mode that the task had before. */
  from: permissionModeSchema,
  permissionMode: permissionModeSchema,
});

/** The executor of a task is gone: Baton ends the task on its behalf. */
const taskLostSchema = event('task.lost', { ...ofTask, executorId: z.string() });

/**
 * The executor of a task ended while its agent was waiting for answers: the requests stay open, and the task resumes in
 * the agent's own session once all of them are answered.
 */
const taskPausedSchema = event('task.paused', { ...ofTask, executorId: z.string() });

/**
 * Every request of a paused task is answered: it is queued again, in its old position, to resume in the agent's
 * session.
 */
const taskResumedSchema = event('task.resumed', {
  ...ofTask,
  /** The requests that were answered while it was paused. */
  requestIds: z.array(z.string()),
});

/** A request of the agent was answered; the executor delivers the answer. */
const answerGivenSchema = event('answer.given', {
  ...ofTask,
  by,
  requestId: z.string(),
  answer: z.union([permissionAnswerSchema, questionAnswerSchema]),
});

/** A steering message for the agent of a task; the executor delivers it. */
const taskSteeredSchema = event('task.steered', {
  ...ofTask,
  by,
  text: z.string(),
  /** Idempotency key chosen by the caller: a second message with the same key is ignored. */
  steerId: z.string().optional(),
});

/** A stop of a task was requested. */
const stopRequestedSchema = event('stop.requested', {
  ...ofTask,
  by,
  reason: z.string().optional(),
});

/** A task was stopped while others of its session were queued: they wait until the queue is resumed. */
const queuePausedSchema = event('queue.paused', { by });

/** The queue of a session is resumed. */
const queueResumedSchema = event('queue.resumed', { by });

/** Information from Baton itself. */
const sessionNoticeSchema = event('session.notice', {
  taskId: z.string().optional(),
  level: z.enum(['info', 'warning', 'error']),
  code: z.string(),
  message: z.string(),
});

/** A user has finished the work in the folder of the session. */
const workFinishedSchema = event('work.finished', {
  by,
  action: z.enum(['commit', 'merge', 'push', 'pr', 'discard']),
  /** The branch of the work; absent if HEAD was detached. */
  branch: z.string().optional(),
  /** The new commit: the merged one, or that of the work. */
  commit: z.string().optional(),
  /** The branch that got the work, or the remote that it was pushed to. */
  target: z.string().optional(),
  /** Address of the pull request. */
  url: z.string().optional(),
  /** Number of files that were committed. */
  files: z.int().optional(),
});

const knownSessionEventSchema = z.discriminatedUnion('type', [
  sessionCreatedSchema,
  sessionChangedSchema,
  promptQueuedSchema,
  promptEditedSchema,
  taskStartedSchema,
  taskRequeuedSchema,
  taskNarrowedSchema,
  taskWidenedSchema,
  taskLostSchema,
  taskPausedSchema,
  taskResumedSchema,
  answerGivenSchema,
  taskSteeredSchema,
  stopRequestedSchema,
  queuePausedSchema,
  queueResumedSchema,
  sessionNoticeSchema,
  workFinishedSchema,
]);

/** An event of a session that does not come from an agent. */
export type SessionEvent = Closed<z.infer<typeof knownSessionEventSchema>>;
export type SessionEventType = SessionEvent['type'];
export type SessionEventOf<Type extends SessionEventType> = Extract<SessionEvent, { type: Type }>;
export const SESSION_EVENT_TYPES: readonly SessionEventType[] = knownSessionEventSchema.options.map(
  (option) => option.shape.type.value as SessionEventType,
);

/** An event of a run, with its cursor in the log of the session. */
export type TaskEvent = AgentEvent & { cursor: number; taskId: string };

/** Every event of the log of a session. */
export type LogEvent = SessionEvent | TaskEvent;

/** Parses an event of the log; unknown types keep all their fields. */
export const logEventSchema = z
  .looseObject({ ...envelope, type: z.string() })
  .transform((value, context): LogEvent => {
    const isSessions = (SESSION_EVENT_TYPES as readonly string[]).includes(value.type);
    const parsed = (isSessions ? knownSessionEventSchema : eventSchema).safeParse(value);
    if (parsed.success) return parsed.data as LogEvent;
    for (const issue of parsed.error.issues) context.addIssue({ ...issue, code: 'custom' });
    return z.NEVER;
  });
