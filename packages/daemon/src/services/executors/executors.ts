import { hostname } from 'node:os';
import { isAbsolute } from 'node:path';
import {
  BatonError,
  permissionModeSchema,
  sessionRecordSchema,
  taskRecordSchema,
} from '@baton/protocol';
import type { LeaseRow } from '@baton/store';
import { z } from 'zod';
import { NOBODY, type Principal, userIdOf } from '../../access/principal.ts';
import { checkNarrower, narrowTask } from '../../commands/narrow-task.ts';
import type { DaemonContext } from '../../context.ts';
import { originOf } from '../../hand-over/origin-of.ts';
import { sessionRecord, taskRecord } from '../../records/record-of.ts';
import type { TaskClaims } from '../../security/task-token.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { existingSession, existingTask } from '../existing.ts';
import { ClaimDesk } from './claim-desk.ts';
import { executorRecord, executorRecordSchema } from './executor-record.ts';

const MAX_WAIT_MS = 30_000;

const factsSchema = z.strictObject({
  task_id: z.string().optional(),
  /** Made by the executor: with the same one it gets the same task again. */
  claim_id: z.uuid().optional(),
  host: z.string().max(300),
  pid: z.int().positive(),
  /** Whether it calls `agentStarting` before its agent sees the prompt; without it the agent counts as started. */
  announces_start: z.boolean().default(false),
  /** Runs the task with this mode, which may not be wider than its own. */
  permission_mode: permissionModeSchema.optional(),
  /** Where it keeps what it has not reported. */
  spool_folder: z.string().max(4096).refine(isPath, 'That is no path.').optional(),
});
type Facts = z.output<typeof factsSchema>;

/** The processes that carry out tasks. */
export function executors(context: DaemonContext): ServiceDefinition {
  const { store, taskTokens, leaseMs, folder } = context;
  const { executors: table } = store.records;

  const renewed = async ({ taskId, fence }: TaskClaims): Promise<LeaseRow> => {
    const isHeld = await store.leases.renew(taskId, fence, leaseMs);
    const lease = isHeld ? await store.leases.get(taskId) : undefined;
    if (lease) return lease;
    throw notHeld();
  };

  const startAgent = async (taskId: string, fence: number): Promise<void> => {
    if (await store.leases.startAgent(taskId, fence)) return;
    throw new BatonError('lease_lost', 'The task belongs to another executor, or has ended.');
  };

  const desk = new ClaimDesk(context);
  const leaseFor = (principal: Principal, { claim_id: claimId, host, task_id: taskId }: Facts) =>
    principal.kind === 'executor'
      ? renewed(principal.claims)
      : desk.take({ userId: userIdOf(principal) ?? '', claimId, host, taskId });

  /** Before the task is claimed: a claim that fails would leave it without an executor. */
  const checkMode = async ({ permission_mode: mode, task_id }: Facts, principal: Principal) => {
    // Nothing is stricter than "ask", so it never widens the mode of a task.
    if (mode === undefined || mode === 'ask') return;
    const taskId = principal.kind === 'executor' ? principal.claims.taskId : task_id;
    if (taskId === undefined) {
      throw new BatonError(
        'usage',
        `Permission mode "${mode}" may be wider than that of the task.`,
        {
          hint: 'Name the task (--task-id), or use "ask".',
        },
      );
    }
    checkNarrower(await existingTask(store, taskId, principal), mode);
  };

  const tokenFor = (lease: LeaseRow, userId: string | null) =>
    taskTokens.sign({
      sessionId: lease.session_id,
      taskId: lease.task_id,
      executorId: lease.executor_id,
      fence: lease.fence,
      userId: userId ?? undefined,
    });

  return {
    path: 'executors',
    about: 'The processes that carry out tasks.',
    methods: {
      find: method({
        about: 'Lists the executors that have not ended.',
        allow: ['viewer'],
        result: z.array(executorRecordSchema),
        async act() {
          const rows = await table.find({
            ...{ where: { ended_at: null }, orderBy: ['started_at', 'asc'] },
          });
          const leases = await store.leases.all();
          const leaseOf = new Map(leases.map((lease) => [lease.executor_id, lease]));
          return rows.map((row) => executorRecord(row, leaseOf.get(row.executor_id)));
        },
      }),
      create: method({
        about: 'An executor is there: it takes its task and learns what to do.',
        allow: ['executor', 'member'],
        data: factsSchema,
        result: z.looseObject({
          executor_id: z.string(),
          token: z.string(),
          lease_ms: z.number(),
          last_seq: z.int(),
          cursor: z.int(),
          task: taskRecordSchema,
          session: sessionRecordSchema,
          resume: z.string().nullable(),
          fork: z.boolean(),
          hand_over: z.string().nullable(),
          keep_open_ms: z.int(),
          max_agent_processes: z.int(),
          raw_max_bytes: z.int(),
          isolation: z.looseObject({
            mode: z.enum(['none', 'bubblewrap', 'user']),
            network: z.boolean(),
            unix_user: z.string().nullable(),
            hidden: z.array(z.string()),
          }),
        }),
        async act({ data, principal }) {
          await checkMode(data, principal);
          const lease = await leaseFor(principal, data);
          if (!data.announces_start) await startAgent(lease.task_id, lease.fence);
          if (data.permission_mode !== undefined) {
            await narrowTask(store, lease, { mode: data.permission_mode, by: userIdOf(principal) });
          }
          const now = store.now();
          const known = await table.get(lease.executor_id);
          await table.put({
            executor_id: lease.executor_id,
            task_id: lease.task_id,
            session_id: lease.session_id,
            daemon_id: lease.daemon_id,
            host: data.host,
            // Whoever started it has seen for certain which process it is.
            pid: known?.start_ticks ? known.pid : data.pid,
            start_ticks: known?.start_ticks ?? null,
            started_at: now,
            heartbeat_at: now,
            progress_at: now,
            ended_at: null,
            spool_folder: known?.spool_folder ?? spoolOf(principal, data),
          });
          const task = await existingTask(store, lease.task_id, NOBODY);
          const session = await existingSession(store, lease.session_id, NOBODY);
          const origin = await originOf(store, session, task);
          const settings = await readSettings(store);
          return {
            executor_id: lease.executor_id,
            token: await tokenFor(lease, task.created_by),
            lease_ms: leaseMs,
            last_seq: task.last_seq,
            // The cursor of the event that says that the task was taken.
            cursor: lease.fence,
            task: taskRecord(task),
            session: sessionRecord(session),
            resume: origin.resume,
            fork: origin.fork,
            hand_over: origin.handOver,
            keep_open_ms: settings['executors.keep_open_ms'],
            max_agent_processes: settings['executors.max_agent_processes'],
            raw_max_bytes: settings['raw_output.max_bytes'],
            isolation: {
              mode: settings['executors.isolation'],
              network: settings['executors.isolation_network'],
              unix_user: settings['executors.unix_user'],
              hidden: [folder],
            },
          };
        },
      }),
      next: method({
        about:
          'An executor whose task has ended, and whose agent is kept ready, waits for the next task of the same session.',
        allow: ['executor'],
        data: z.strictObject({ wait_ms: z.int().min(0).max(MAX_WAIT_MS) }),
        result: z.strictObject({ token: z.string().nullable(), is_task: z.boolean() }),
        async act({ data, principal }) {
          if (principal.kind !== 'executor') throw new BatonError('forbidden', 'Executors only.');
          const { claims } = principal;
          const answer = await context.waitForTask(claims, data.wait_ms);
          if (answer === 'none') return { token: null, is_task: false };
          if (answer === 'nothing yet') {
            return { token: await taskTokens.sign(claims), is_task: false };
          }
          return { token: await tokenFor(answer, claims.userId ?? null), is_task: true };
        },
      }),
      agentStarting: method({
        about:
          'An executor is about to give the prompt to its agent: from now on the task is never queued again.',
        allow: ['executor'],
        data: z.strictObject({}),
        result: z.strictObject({}),
        async act({ principal }) {
          if (principal.kind !== 'executor') throw new BatonError('forbidden', 'Executors only.');
          await startAgent(principal.claims.taskId, principal.claims.fence);
          return {};
        },
      }),
      renewToken: method({
        about:
          'Exchanges the token of an executor, which may have expired, for a new one while the executor holds its lease.',
        allow: ['executor', 'expired executor'],
        data: z.strictObject({}),
        result: z.strictObject({ token: z.string() }),
        async act({ principal }) {
          if (!('claims' in principal)) throw new BatonError('forbidden', 'Executors only.');
          const { claims } = principal;
          const lease = await renewed(claims);
          if (lease.executor_id !== claims.executorId) throw notHeld();
          return { token: await taskTokens.sign(claims) };
        },
      }),
      heartbeat: method({
        about:
          'An executor lives, and its agent too; it gets a new token and hears whether to stop.',
        allow: ['executor'],
        data: z.strictObject({
          /** How long ago the agent last did something, in milliseconds. */
          idle_ms: z.number().min(0),
          ended: z.boolean().default(false),
          /** Whether it is stopping its agent: it says so at once when it is told to stop, and twice a second. */
          stopping: z.boolean().default(false),
        }),
        result: z.looseObject({ token: z.string().optional(), stop: z.boolean().optional() }),
        async act({ data, principal }) {
          if (principal.kind !== 'executor') throw new BatonError('forbidden', 'Executors only.');
          const { executorId, taskId } = principal.claims;
          if (data.stopping) context.confirmStop(taskId);
          const now = store.now();
          await table.update(
            { executor_id: executorId },
            {
              heartbeat_at: now,
              progress_at: Math.round(now - data.idle_ms),
              ...(data.ended ? { ended_at: now } : {}),
            },
          );
          if (data.ended) return {};
          const lease = await renewed(principal.claims);
          const task = await existingTask(store, lease.task_id, principal);
          return {
            token: await tokenFor(lease, task.created_by),
            stop: task.status === 'STOPPING',
          };
        },
      }),
    },
  };
}

function notHeld(): BatonError {
  return new BatonError('lease_lost', 'The task belongs to another executor, or has ended.');
}

function isPath(text: string): boolean {
  return isAbsolute(text) && !text.includes('\0');
}

/** Of an executor that a person started on this machine; the pool knows where its own have theirs. */
function spoolOf(principal: Principal, { host, spool_folder }: Facts): string | null {
  const isHere = principal.kind === 'user' && host === hostname();
  return isHere ? (spool_folder ?? null) : null;
}
