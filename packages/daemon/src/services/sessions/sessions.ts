import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import {
  BatonError,
  permissionModeSchema,
  type RequestPolicy,
  type RequestPolicyRecord,
  type SessionChanges,
  type SessionRecord,
} from '@baton/protocol';
import { sessionsWire } from '@baton/protocol/wire';
import { existingSession, existingTask } from '../../access/existing.ts';
import { type Principal, userIdOf } from '../../access/principal.ts';
import { changeSession } from '../../commands/change-session.ts';
import { copyAttachments } from '../../commands/copy-attachments.ts';
import { createConfiguredSession } from '../../commands/create-session.ts';
import { forkSession } from '../../commands/fork-session.ts';
import { optionsFor } from '../../commands/options-for.ts';
import { queuePrompt } from '../../commands/queue-prompt.ts';
import { clearQueue, resumeQueue } from '../../commands/session-queue.ts';
import { steerTask } from '../../commands/steer-task.ts';
import { stopTask } from '../../commands/stop-task.ts';
import { widenTask } from '../../commands/widen-task.ts';
import type { DaemonContext } from '../../context.ts';
import { listedSession, sessionRecord, taskRecord } from '../../records/record-of.ts';
import { MAX_LARGE_BODY_BYTES } from '../../service/body-limits.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { checkOptions } from '../../settings/check-agent-options.ts';
import { withDefaults } from '../../settings/default-options.ts';
import { checkAttachments } from '../attachments/check-attachments.ts';
import { type StartOptions, startPlace } from './start-files.ts';

/** A task in a folder that is not there would only fail later. */
function checkFolder(cwd: string): void {
  const found = isAbsolute(cwd) ? statSync(cwd, { throwIfNoEntry: false }) : undefined;
  if (!isAbsolute(cwd) || found?.isDirectory()) return;
  const why = found ? 'is not a folder' : 'does not exist';
  throw new BatonError('cwd_missing', `The folder of the session ${why}: ${cwd}`);
}

/** A request policy as events have it. */
function policyOf(record: RequestPolicyRecord | null): RequestPolicy | null {
  return record && { afterMs: record.after_ms, action: record.action };
}

/** Conversations in one folder. Each session runs its tasks one at a time. */
export function sessions(context: DaemonContext): ServiceOf<'sessions'> {
  const { store, baton } = context;
  const { registry } = baton;
  return {
    path: 'sessions',
    about: 'Conversations in one folder. Each session runs its tasks one at a time.',
    events: ['created', 'patched', 'task_stop'],
    methods: {
      find: method(sessionsWire.find, {
        about:
          'Lists sessions, most recently active first. `search` matches words of titles and folders, in any order. `last_task_status` is the status of a task that needs input, else of a running one, else of a queued one, else of the one that ended last; `last_task_error` is its error code.',
        allow: ['viewer'],
        async act({ query: { limit, skip, backend, created_by, ...same } }) {
          const { rows, total } = await store.sessionList({
            backend: backend === undefined ? undefined : registry.canonicalName(backend),
            createdBy: created_by,
            limit,
            offset: skip,
            ...same,
          });
          return { total, limit, skip, data: rows.map(listedSession) };
        },
      }),
      get: method(sessionsWire.get, {
        about: 'Returns one session.',
        allow: ['viewer', 'executor'],
        act: async ({ id, principal }) =>
          sessionRecord(await existingSession(store, id, principal)),
      }),
      create: method(sessionsWire.create, {
        about: 'Creates a session in a folder.',
        allow: ['member'],
        async act({ data, principal }) {
          if (context.runsTasks) checkFolder(data.cwd);
          const row = await createConfiguredSession(context, {
            by: userIdOf(principal),
            cwd: data.cwd,
            backend: registry.entry(data.backend).id,
            permissionMode: data.permission_mode,
            title: data.title,
            sessionId: data.session_id,
            workspace: data.workspace,
          });
          return sessionRecord(row);
        },
      }),
      patch: method(sessionsWire.patch, {
        about: 'Updates a session, or archives it once all its tasks have ended.',
        allow: ['member'],
        async act({ id, data, principal }) {
          const { permission_mode, request_policy, backend, ...same } = data;
          const changes: SessionChanges = {
            ...same,
            ...(backend === undefined ? {} : { backend: registry.entry(backend).id }),
            ...(permission_mode === undefined ? {} : { permissionMode: permission_mode }),
            ...(request_policy === undefined ? {} : { requestPolicy: policyOf(request_policy) }),
          };
          await changeSession(store, id, { by: userIdOf(principal), changes });
          return sessionRecord(await existingSession(store, id, principal));
        },
      }),
      fork: method(sessionsWire.fork, {
        about:
          'Forks a session, at its end or before one of its prompts. The original is unchanged. A fork of a session in a worktree gets a worktree of its own, with the files at the start of that turn, unless `files` is `present`.',
        allow: ['member'],
        async act({ data: { session_id, before_task, files }, principal }) {
          const by = userIdOf(principal);
          const session = await existingSession(store, session_id, principal);
          const taskId = before_task && (await ranTask(before_task, principal));
          return forked({ session, taskId, by, files }, { before: before_task });
        },
      }),
      retryTask: method(sessionsWire.retryTask, {
        about:
          'Retries a prompt, or an edited one, in a fork from just before it. With `files`, the files are restored to the start of that turn, or a new worktree has them.',
        allow: ['member'],
        maxBytes: MAX_LARGE_BODY_BYTES,
        async act({ data, principal }) {
          const by = userIdOf(principal);
          const before = await existingTask(store, data.task_id, principal);
          const backend =
            data.backend === undefined ? before.backend : registry.entry(data.backend).id;
          const options = optionsFor(backend, before);
          await checkOptions(baton, backend, options);
          const session = await existingSession(store, data.session_id, principal);
          const { session_id } = await forked(
            { session, taskId: data.task_id, by, files: data.files ?? 'present' },
            { before: data.task_id, isRetry: true },
          );
          const taskId = await queuePrompt(store, session_id, {
            by,
            prompt: data.prompt ?? before.full_prompt,
            backend,
            model: backend === before.backend ? (before.model ?? undefined) : undefined,
            permissionMode: permissionModeSchema.parse(before.permission_mode),
            options,
            attachments: await copyAttachments(store, before, session_id),
          });
          await context.startWaiting();
          return taskRecord(await existingTask(store, taskId, principal));
        },
      }),
      executeTask: method(sessionsWire.executeTask, {
        about: 'Queues a prompt in a session. It runs immediately if a slot is free.',
        allow: ['member'],
        maxBytes: MAX_LARGE_BODY_BYTES,
        async act({ data, principal }) {
          const { session_id, task_id, permission_mode, ...given } = data;
          const session = await existingSession(store, session_id, principal);
          const backend =
            given.backend === undefined ? undefined : registry.entry(given.backend).id;
          await checkOptions(
            baton,
            backend ?? session.backend,
            withDefaults(given.options ?? {}, {}),
          );
          await checkAttachments(store, session_id, given.attachments);
          const taskId = await queuePrompt(store, session_id, {
            ...given,
            by: userIdOf(principal),
            backend,
            permissionMode: permission_mode,
            taskId: task_id,
          });
          await context.startWaiting();
          return taskRecord(await existingTask(store, taskId, principal));
        },
      }),
      steerTask: method(sessionsWire.steerTask, {
        about: 'Steers the agent of a running task, if the agent supports it.',
        allow: ['member'],
        maxBytes: MAX_LARGE_BODY_BYTES,
        async act({ data: { session_id, task_id: taskId, text, steer_id: steerId }, principal }) {
          await steerTask({ store, registry }, session_id, {
            taskId,
            text,
            steerId,
            by: userIdOf(principal),
          });
          return taskRecord(await existingTask(store, taskId, principal));
        },
      }),
      widenTask: method(sessionsWire.widenTask, {
        about:
          'Gives a running task a wider permission mode. Open requests that the mode covers are allowed. A stricter mode applies from the next prompt.',
        allow: ['member'],
        async act({ data: { session_id, task_id: taskId, permission_mode: mode }, principal }) {
          await widenTask({ store, registry }, session_id, {
            taskId,
            mode,
            by: userIdOf(principal),
          });
          return taskRecord(await existingTask(store, taskId, principal));
        },
      }),
      resumeQueue: method(sessionsWire.resumeQueue, {
        about: 'Resumes the queue of a session after a stop paused it.',
        allow: ['member'],
        async act({ data: { session_id }, principal }) {
          await resumeQueue(store, session_id, { by: userIdOf(principal) });
          await context.startWaiting();
          return sessionRecord(await existingSession(store, session_id, principal));
        },
      }),
      clearQueue: method(sessionsWire.clearQueue, {
        about:
          'Cancels the queued tasks of a session and resumes its queue. The running task is not affected.',
        allow: ['member'],
        async act({ data: { session_id }, principal }) {
          const cleared = await clearQueue(store, session_id, { by: userIdOf(principal) });
          const session = await existingSession(store, session_id, principal);
          return { cleared, session: sessionRecord(session) };
        },
      }),
      stopTask: method(sessionsWire.stopTask, {
        about:
          'Stops a task. A queued task is cancelled immediately; a running one ends when its executor has stopped the agent. Stopping a running task pauses the queue of its session if other tasks are queued.',
        allow: ['member'],
        async act({ data: { session_id, task_id: taskId, reason }, principal }) {
          const stop = { taskId, by: userIdOf(principal), reason };
          const receipt = await stopTask(store, session_id, stop);
          return { receipt, task: taskRecord(await existingTask(store, taskId, principal)) };
        },
      }),
    },
  };

  /** Copies a session, with the files that were chosen. */
  async function forked(
    start: StartOptions,
    fork: { before: string | undefined; isRetry?: boolean },
  ): Promise<SessionRecord> {
    const { session_id: sessionId } = start.session;
    const { newId, workspace, note } = await startPlace(context, start);
    const row = await forkSession(store, { sessionId, by: start.by, newId, workspace, ...fork });
    await note?.(newId);
    return sessionRecord(row);
  }

  /** The id of a task; undefined if it never ran. */
  async function ranTask(id: string, principal: Principal): Promise<string | undefined> {
    return (await existingTask(store, id, principal)).started_at === null ? undefined : id;
  }
}
