import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { permissionModeSchema } from '../permission.ts';
import { momentSchema, sessionRecordSchema } from '../records/session-record.ts';
import { taskRecordSchema } from '../records/task-record.ts';
import { absolutePathSchema } from './absolute-path.ts';
import { emptySchema, type ServiceWire } from './service.ts';

const MAX_WAIT_MS = 30_000;

/**
 * The version of the protocol between executors and daemons. It increases when an executor has to understand something
 * new to run a task, or needs something new from the daemon: 2 since tasks can resume after a pause, 3 since
 * `events.find` has `types`. A daemon accepts older executors for tasks that need nothing newer.
 */
export const EXECUTOR_PROTOCOL = 3;

/** Facts that an executor reports about itself. A daemon ignores unknown fields. */
const executorFactsSchema = z.object({
  protocol: z.int().min(1).default(1),
  task_id: z.string().optional(),
  /**
   * A UUID chosen by the executor. It makes the claim idempotent: a retry after a lost response claims the same task.
   */
  claim_id: z.uuid().optional(),
  host: z.string().max(300),
  pid: z.int().positive(),
  /** True if it calls `agentStarting` before its agent sees the prompt; otherwise the agent counts as started. */
  announces_start: z.boolean().default(false),
  /** Permission mode for the task, which may not be wider than the task's own mode. */
  permission_mode: permissionModeSchema.optional(),
  /** Folder of its unreported events; a daemon on the same machine collects them if the executor is gone. */
  spool_folder: absolutePathSchema('Invalid path.').optional(),
  /** Folder of its checkpoints, which a daemon on the same machine may be able to read. */
  workspaces_folder: absolutePathSchema('Invalid path.').optional(),
});
export type ExecutorFacts = z.input<typeof executorFactsSchema>;

/** Everything an executor needs to start its task. */
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
  /** True to continue in a copy of that session. */
  fork: z.boolean(),
  /** Abridged transcript of the session for an agent without a session of its own to continue. */
  hand_over: z.string().nullable(),
  /** Prompt for the agent instead of the original one, in a task that resumes after a pause. */
  continuation: z.string().nullable().default(null),
  /** Time for which the agent is kept ready for the next task of its session. */
  keep_open_ms: z.int(),
  /** Process limit for keeping the agent; an agent with more processes is not kept. */
  max_agent_processes: z.int(),
  /** Limit of the agent's raw output that is kept. */
  raw_max_bytes: z.int(),
  /** True if the daemon cannot read the files of the session itself, so that their changes are to be reported. */
  wants_changes: z.boolean().default(false),
  isolation: z.looseObject({
    mode: z.enum(['none', 'bubblewrap', 'user']),
    network: z.boolean(),
    unix_user: z.string().nullable(),
    hidden: z.array(z.string()),
  }),
});
export type ExecutorStart = Closed<z.output<typeof executorStartSchema>>;

/** A process that runs a task. */
const executorRecordSchema = z.looseObject({
  executor_id: z.string(),
  task_id: z.string(),
  session_id: z.string(),
  daemon_id: z.string(),
  host: z.string(),
  pid: z.int().nullable(),
  started_at: momentSchema,
  heartbeat_at: momentSchema,
  /** Time of the agent's last activity. */
  progress_at: momentSchema,
  ended_at: momentSchema.nullable(),
  /** End of its lease without another heartbeat; null without a lease. */
  lease_expires_at: momentSchema.nullable(),
});
export type ExecutorRecord = Closed<z.output<typeof executorRecordSchema>>;

const heartbeatSchema = z.strictObject({
  /** Time since the agent's last activity, in milliseconds. */
  idle_ms: z.number().min(0),
  ended: z.boolean().default(false),
  /** True while it stops its agent; sent at once when the daemon requests a stop, then twice a second. */
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
