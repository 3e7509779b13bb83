import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { permissionModeSchema } from '../permission.ts';
import { momentSchema, sessionRecordSchema } from '../records/session-record.ts';
import { taskRecordSchema } from '../records/task-record.ts';
import { absolutePathSchema } from './absolute-path.ts';
import { emptySchema, type ServiceWire } from './service.ts';

const MAX_WAIT_MS = 30_000;

/**
 * The version of the contract between executors and daemons. It grows when an executor has to know something new to run
 * a task: 2 since tasks can resume after a pause. A daemon accepts older executors for tasks that need nothing newer.
 */
export const EXECUTOR_PROTOCOL = 2;

/** What an executor reports about itself. Fields that a daemon does not know are ignored. */
const executorFactsSchema = z.object({
  protocol: z.int().min(1).default(1),
  task_id: z.string().optional(),
  /** A UUID of the executor's own: when the answer got lost, the same one claims the same task again. */
  claim_id: z.uuid().optional(),
  host: z.string().max(300),
  pid: z.int().positive(),
  /** Whether it calls `agentStarting` before its agent sees the prompt; otherwise the agent counts as started. */
  announces_start: z.boolean().default(false),
  /** Runs the task with this mode, which may not be wider than the mode of the task. */
  permission_mode: permissionModeSchema.optional(),
  /** Where it keeps unreported events; a daemon on the same machine collects them when the executor is gone. */
  spool_folder: absolutePathSchema('Invalid path.').optional(),
});
export type ExecutorFacts = z.input<typeof executorFactsSchema>;

/** What an executor needs to begin. */
const executorStartSchema = z.looseObject({
  executor_id: z.string(),
  token: z.string(),
  lease_ms: z.number(),
  last_seq: z.int(),
  /** The cursor at which the task was claimed: answers, steering and stops come after it. */
  cursor: z.int(),
  task: taskRecordSchema,
  session: sessionRecordSchema,
  /** The native session to continue. */
  resume: z.string().nullable(),
  /** Whether to continue in a copy of it. */
  fork: z.boolean(),
  /** What happened in the session without this agent. */
  hand_over: z.string().nullable(),
  /** What the agent is told instead of the prompt, in a task that resumes after a pause. */
  continuation: z.string().nullable().default(null),
  /** How long the agent is kept ready for the next task of its session. */
  keep_open_ms: z.int(),
  /** An agent with more processes is not kept. */
  max_agent_processes: z.int(),
  /** How much of the agent's raw output is kept. */
  raw_max_bytes: z.int(),
  isolation: z.looseObject({
    mode: z.enum(['none', 'bubblewrap', 'user']),
    network: z.boolean(),
    unix_user: z.string().nullable(),
    hidden: z.array(z.string()),
  }),
});
export type ExecutorStart = Closed<z.output<typeof executorStartSchema>>;

/** A process that carries out a task. */
const executorRecordSchema = z.looseObject({
  executor_id: z.string(),
  task_id: z.string(),
  session_id: z.string(),
  daemon_id: z.string(),
  host: z.string(),
  pid: z.int().nullable(),
  started_at: momentSchema,
  heartbeat_at: momentSchema,
  /** When its agent last did something. */
  progress_at: momentSchema,
  ended_at: momentSchema.nullable(),
  /** When its lease ends without another heartbeat; null without a lease. */
  lease_expires_at: momentSchema.nullable(),
});
export type ExecutorRecord = Closed<z.output<typeof executorRecordSchema>>;

const heartbeatSchema = z.strictObject({
  /** How long ago the agent last did something, in milliseconds. */
  idle_ms: z.number().min(0),
  ended: z.boolean().default(false),
  /** Whether it is stopping its agent; it sends this at once when told to stop, and then twice a second. */
  stopping: z.boolean().default(false),
});

export const executorsWire = {
  find: { result: z.array(executorRecordSchema) },
  create: { data: executorFactsSchema, result: executorStartSchema },
  next: {
    data: z.strictObject({ wait_ms: z.int().min(0).max(MAX_WAIT_MS) }),
    result: z.strictObject({ token: z.string().nullable(), is_task: z.boolean() }),
  },
  transcript: { data: emptySchema, result: z.strictObject({ hand_over: z.string().nullable() }) },
  giveBack: {
    data: z.strictObject({ reason: z.string().max(1000) }),
    result: emptySchema,
  },
  agentStarting: { data: emptySchema, result: emptySchema },
  renewToken: { data: emptySchema, result: z.strictObject({ token: z.string() }) },
  heartbeat: {
    data: heartbeatSchema,
    result: z.looseObject({ token: z.string().optional(), stop: z.boolean().optional() }),
  },
} as const satisfies ServiceWire;
