import { realpathSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import {
  BatonError,
  listedSessionSchema,
  permissionModeSchema,
  type SessionChanges,
  sessionRecordSchema,
  taskRecordSchema,
} from '@baton/protocol';
import { backendEntry, canonicalName } from '@baton/runtime';
import { z } from 'zod';
import { userIdOf } from '../../access/principal.ts';
import { changeSession } from '../../commands/change-session.ts';
import { copyAttachments } from '../../commands/copy-attachments.ts';
import { createSession } from '../../commands/create-session.ts';
import { forkSession } from '../../commands/fork-session.ts';
import { optionsFor } from '../../commands/options-for.ts';
import { queuePrompt } from '../../commands/queue-prompt.ts';
import { clearQueue, resumeQueue } from '../../commands/session-queue.ts';
import { steerTask } from '../../commands/steer-task.ts';
import { stopTask } from '../../commands/stop-task.ts';
import type { DaemonContext } from '../../context.ts';
import { listedSession, sessionRecord, taskRecord } from '../../records/record-of.ts';
import { MAX_LARGE_BODY_BYTES } from '../../service/body-limits.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { pageSchema } from '../../service/query.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { checkAttachments } from '../attachments/check-attachments.ts';
import { checkOptions } from '../backends/check-options.ts';
import { withDefaults } from '../backends/default-options.ts';
import { existingSession, existingTask } from '../existing.ts';
import {
  changesSchema,
  MAX_PROMPT,
  newSessionSchema,
  promptSchema,
  sessionQuerySchema,
  steerSchema,
} from './schemas.ts';

/** A task in a folder that is not there would only fail later. */
function checkFolder(cwd: string): void {
  const found = isAbsolute(cwd) ? statSync(cwd, { throwIfNoEntry: false }) : undefined;
  if (!isAbsolute(cwd) || found?.isDirectory()) return;
  const why = found ? 'is not a folder' : 'does not exist';
  throw new BatonError('cwd_missing', `The folder of the session ${why}: ${cwd}`);
}

/** Conversations of many tasks, one after another, in one folder. */
export function sessions(context: DaemonContext): ServiceDefinition {
  const { store } = context;
  return {
    path: 'sessions',
    about: 'Conversations of many tasks, one after another, in one folder.',
    events: ['created', 'patched', 'task_stop'],
    methods: {
      find: method({
        about:
          'Lists sessions, those with news first; `search` is for words of their titles and folders, in any order. `last_task_status` is that of a task that waits for an answer, or else runs, or else waits for its turn; else of the one that ended last.',
        allow: ['viewer'],
        query: sessionQuerySchema,
        result: pageSchema(listedSessionSchema),
        async act({ query: { limit, skip, backend, created_by, ...same } }) {
          const { rows, total } = await store.sessionList({
            backend: backend === undefined ? undefined : canonicalName(backend),
            createdBy: created_by,
            limit,
            offset: skip,
            ...same,
          });
          return { total, limit, skip, data: rows.map(listedSession) };
        },
      }),
      get: method({
        about: 'Gives one session.',
        allow: ['viewer', 'executor'],
        result: sessionRecordSchema,
        act: async ({ id, principal }) =>
          sessionRecord(await existingSession(store, id, principal)),
      }),
      create: method({
        about: 'Begins a session in a folder.',
        allow: ['member'],
        data: newSessionSchema,
        result: sessionRecordSchema,
        async act({ data, principal }) {
          if (context.runsTasks) checkFolder(data.cwd);
          const settings = await readSettings(store);
          const isConfined = context.runsTasks && settings['executors.isolation'] !== 'none';
          const row = await createSession(store, {
            by: userIdOf(principal),
            // Confined agents do not work behind links, which the agent of another session could change.
            cwd: isConfined ? realpathSync(data.cwd) : data.cwd,
            backend: backendEntry(data.backend).id,
            permissionMode: data.permission_mode,
            title: data.title,
            requestPolicy: settings['requests.policy'],
          });
          return sessionRecord(row);
        },
      }),
      patch: method({
        about: 'Changes a session, or puts it into the archive once all of its tasks have ended.',
        allow: ['member'],
        data: changesSchema,
        result: sessionRecordSchema,
        async act({ id, data, principal }) {
          const { permission_mode, request_policy, backend, ...same } = data;
          const changes: SessionChanges = {
            ...same,
            ...(backend === undefined ? {} : { backend: backendEntry(backend).id }),
            ...(permission_mode === undefined ? {} : { permissionMode: permission_mode }),
            ...(request_policy === undefined ? {} : { requestPolicy: request_policy }),
          };
          await changeSession(store, id, { by: userIdOf(principal), changes });
          return sessionRecord(await existingSession(store, id, principal));
        },
      }),
      fork: method({
        about:
          'Begins a session that goes on from this one, or from before one of its prompts; this one stays as it is.',
        allow: ['member'],
        data: z.strictObject({ session_id: z.string(), before_task: z.string().optional() }),
        result: sessionRecordSchema,
        async act({ data: { session_id, before_task }, principal }) {
          const fork = { sessionId: session_id, by: userIdOf(principal), before: before_task };
          return sessionRecord(await forkSession(store, fork));
        },
      }),
      retryTask: method({
        about:
          'Gives a prompt once more, or another one in its place, in a copy of the session as it was before.',
        allow: ['member'],
        maxBytes: MAX_LARGE_BODY_BYTES,
        data: z.strictObject({
          session_id: z.string(),
          taskId: z.string(),
          prompt: z.string().max(MAX_PROMPT).optional(),
          backend: z.string().max(100).optional(),
        }),
        result: taskRecordSchema,
        async act({ data, principal }) {
          const by = userIdOf(principal);
          const before = await existingTask(store, data.taskId, principal);
          const backend =
            data.backend === undefined ? before.backend : backendEntry(data.backend).id;
          const options = optionsFor(backend, before);
          await checkOptions(backend, options);
          const fork = { sessionId: data.session_id, by, before: data.taskId, isRetry: true };
          const { session_id } = await forkSession(store, fork);
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
      executeTask: method({
        about: 'Puts a prompt into the queue of a session; it runs at once when there is room.',
        allow: ['member'],
        maxBytes: MAX_LARGE_BODY_BYTES,
        data: promptSchema,
        result: taskRecordSchema,
        async act({ data, principal }) {
          const { session_id, task_id, ...given } = data;
          const session = await existingSession(store, session_id, principal);
          const backend = given.backend === undefined ? undefined : backendEntry(given.backend).id;
          await checkOptions(backend ?? session.backend, withDefaults(given.options ?? {}, {}));
          await checkAttachments(store, session_id, given.attachments);
          const taskId = await queuePrompt(store, session_id, {
            ...given,
            by: userIdOf(principal),
            backend,
            taskId: task_id,
          });
          await context.startWaiting();
          return taskRecord(await existingTask(store, taskId, principal));
        },
      }),
      steerTask: method({
        about: 'Gives the agent of a task that runs more to consider, where it can take that.',
        allow: ['member'],
        maxBytes: MAX_LARGE_BODY_BYTES,
        data: steerSchema,
        result: taskRecordSchema,
        async act({ data: { session_id, taskId, text, steer_id: steerId }, principal }) {
          await steerTask(store, session_id, { taskId, text, steerId, by: userIdOf(principal) });
          return taskRecord(await existingTask(store, taskId, principal));
        },
      }),
      resumeQueue: method({
        about: 'Lets the queued tasks of a session run again, after a stop has paused them.',
        allow: ['member'],
        data: z.strictObject({ session_id: z.string() }),
        result: sessionRecordSchema,
        async act({ data: { session_id }, principal }) {
          await resumeQueue(store, session_id, { by: userIdOf(principal) });
          await context.startWaiting();
          return sessionRecord(await existingSession(store, session_id, principal));
        },
      }),
      clearQueue: method({
        about:
          'Cancels the queued tasks of a session, and ends the pause of its queue; the task that runs is left alone.',
        allow: ['member'],
        data: z.strictObject({ session_id: z.string() }),
        result: z.strictObject({ cleared: z.array(z.string()), session: sessionRecordSchema }),
        async act({ data: { session_id }, principal }) {
          const cleared = await clearQueue(store, session_id, { by: userIdOf(principal) });
          const session = await existingSession(store, session_id, principal);
          return { cleared, session: sessionRecord(session) };
        },
      }),
      stopTask: method({
        about:
          'Stops a task: one that is queued at once, one that runs as soon as its executor has stopped it. Stopping one that runs pauses the queue of its session, if other tasks are queued there.',
        allow: ['member'],
        data: z.strictObject({
          session_id: z.string(),
          taskId: z.string(),
          reason: z.string().max(1000).optional(),
        }),
        result: z.looseObject({
          receipt: z.enum(['cancelled', 'stopping', 'ended']),
          task: taskRecordSchema,
        }),
        async act({ data: { session_id, taskId, reason }, principal }) {
          const stop = { taskId, by: userIdOf(principal), reason };
          const receipt = await stopTask(store, session_id, stop);
          return { receipt, task: taskRecord(await existingTask(store, taskId, principal)) };
        },
      }),
    },
  };
}
