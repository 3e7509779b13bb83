import { hostname } from 'node:os';
import { BatonError } from '@baton/protocol';
import { EXECUTOR_PROTOCOL, type ExecutorRecord, executorsWire } from '@baton/protocol/wire';
import type { ExecutorRow, LeaseRow } from '@baton/store';
import type { z } from 'zod';
import { existingSession, existingTask } from '../../access/existing.ts';
import { NOBODY, type Principal, userIdOf } from '../../access/principal.ts';
import { checkNarrower, narrowTask } from '../../commands/narrow-task.ts';
import type { DaemonContext } from '../../context.ts';
import { continuationOf } from '../../hand-over/continuation.ts';
import { originOf, transcriptFor } from '../../hand-over/origin-of.ts';
import { moment, sessionRecord, taskRecord } from '../../records/record-of.ts';
import type { TaskClaims } from '../../security/task-token.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { readIsolation } from '../../settings/read-isolation.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { TaskClaimer } from './task-claimer.ts';

type Facts = z.output<typeof executorsWire.create.data>;

/** Executors with an earlier version of the protocol would begin a task anew that has to resume. */
const RESUMES_SINCE = 2;

/** The processes that run tasks. */
export function executors(context: DaemonContext): ServiceOf<'executors'> {
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

  /** True if the checkpoints of an executor are in the folder where this daemon looks for them. */
  const canRead = ({ host, workspaces_folder: state }: Facts) =>
    host === hostname() && (state === undefined || state === context.workspaces.stateFolder);

  const claimer = new TaskClaimer(context);
  const leaseFor = (principal: Principal, facts: Facts) => {
    if (principal.kind === 'executor') return renewed(principal.claims);
    const { claim_id: claimId, host, task_id: taskId, protocol } = facts;
    const onlyNew = protocol < RESUMES_SINCE;
    return claimer.take({ userId: userIdOf(principal) ?? '', claimId, host, taskId, onlyNew });
  };

  /** Before the task is claimed: a claim that fails would leave it without an executor. */
  const checkMode = async ({ permission_mode: mode, task_id }: Facts, principal: Principal) => {
    // Nothing is stricter than "ask", so it never widens the mode of a task.
    if (mode === undefined || mode === 'ask') return;
    const taskId = principal.kind === 'executor' ? principal.claims.taskId : task_id;
    if (taskId === undefined) {
      throw new BatonError(
        'usage',
        `Permission mode "${mode}" may be wider than the mode of the task.`,
        {
          hint: 'Pass --task-id, or use "ask".',
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
    about: 'The processes that run tasks.',
    methods: {
      find: method(executorsWire.find, {
        about: 'Lists active executors.',
        allow: ['viewer'],
        async act() {
          const rows = await table.find({
            ...{ where: { ended_at: null }, orderBy: ['started_at', 'asc'] },
          });
          const leases = await store.leases.all();
          const leaseOf = new Map(leases.map((lease) => [lease.executor_id, lease]));
          return rows.map((row) => executorRecord(row, leaseOf.get(row.executor_id)));
        },
      }),
      create: method(executorsWire.create, {
        about: 'Registers an executor: claims its task and returns the details.',
        allow: ['executor', 'member'],
        async act({ data, principal }) {
          checkProtocol(data);
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
            // The caller started the process and knows its identity.
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
          const origin = await originOf({ store, registry: context.baton.registry }, session, task);
          const settings = await readSettings(store);
          const isolation = await readIsolation(store, folder);
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
            continuation: await continuationOf(store, task, session.cwd),
            keep_open_ms: settings['executors.keep_open_ms'],
            max_agent_processes: settings['executors.max_agent_processes'],
            wants_changes: !canRead(data),
            raw_max_bytes: settings['raw_output.max_bytes'],
            isolation: { ...isolation, hidden: [...isolation.hidden] },
          };
        },
      }),
      next: method(executorsWire.next, {
        about:
          'Waits for the next task of the same session, for an executor whose agent is kept warm.',
        allow: ['executor'],
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
      giveBack: method(executorsWire.giveBack, {
        about:
          'Returns a task whose agent could not be started, because the machine is short of processes, memory or files. It is queued again in its old place.',
        allow: ['executor'],
        async act({ data, principal }) {
          if (principal.kind !== 'executor') throw new BatonError('forbidden', 'Executors only.');
          const lease = await renewed(principal.claims);
          if (!(await store.leases.agentDidNotStart(lease.task_id, lease.fence))) throw notHeld();
          await context.giveBack(lease, data.reason);
          return {};
        },
      }),
      transcript: method(executorsWire.transcript, {
        about:
          'Returns an abridged transcript of the session, for an executor whose agent has lost its own session.',
        allow: ['executor'],
        async act({ principal }) {
          if (principal.kind !== 'executor') throw new BatonError('forbidden', 'Executors only.');
          const { sessionId, taskId } = principal.claims;
          const task = await existingTask(store, taskId, principal);
          const session = await existingSession(store, sessionId, principal);
          return { hand_over: await transcriptFor(store, session, task) };
        },
      }),
      agentStarting: method(executorsWire.agentStarting, {
        about:
          'Marks a task as started, just before the executor sends the prompt to the agent. It is never requeued after this.',
        allow: ['executor'],
        async act({ principal }) {
          if (principal.kind !== 'executor') throw new BatonError('forbidden', 'Executors only.');
          await startAgent(principal.claims.taskId, principal.claims.fence);
          return {};
        },
      }),
      renewToken: method(executorsWire.renewToken, {
        about:
          "Exchanges an executor's token, even an expired one, for a new one while the executor holds its lease.",
        allow: ['executor', 'expired executor'],
        async act({ principal }) {
          if (!('claims' in principal)) throw new BatonError('forbidden', 'Executors only.');
          const { claims } = principal;
          const lease = await renewed(claims);
          if (lease.executor_id !== claims.executorId) throw notHeld();
          return { token: await taskTokens.sign(claims) };
        },
      }),
      heartbeat: method(executorsWire.heartbeat, {
        about: 'Sends a heartbeat. Returns a new token and whether to stop.',
        allow: ['executor'],
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

/** An executor that is newer than its daemon may expect what the daemon does not do. */
function checkProtocol({ protocol }: Facts): void {
  if (protocol <= EXECUTOR_PROTOCOL) return;
  throw new BatonError(
    'conflict',
    `The executor speaks version ${protocol} of the protocol, and the daemon ${EXECUTOR_PROTOCOL}.`,
    { hint: 'Update the daemon first, then executors on other machines.' },
  );
}

function notHeld(): BatonError {
  return new BatonError('lease_lost', 'The task belongs to another executor, or has ended.');
}

/** Of an executor that a person started on this machine; the pool knows where its own have theirs. */
function spoolOf(principal: Principal, { host, spool_folder }: Facts): string | null {
  const isHere = principal.kind === 'user' && host === hostname();
  return isHere ? (spool_folder ?? null) : null;
}

/** An executor as clients see it. */
function executorRecord(row: ExecutorRow, lease: LeaseRow | undefined): ExecutorRecord {
  const { started_at, heartbeat_at, progress_at, ended_at, ...rest } = row;
  const { start_ticks: _ticks, spool_folder: _folder, ...same } = rest;
  return {
    ...same,
    started_at: moment(started_at),
    heartbeat_at: moment(heartbeat_at),
    progress_at: moment(progress_at),
    ended_at: ended_at === null ? null : moment(ended_at),
    lease_expires_at: lease ? moment(lease.expires_at) : null,
  };
}
