import {
  BatonError,
  errorInfo,
  listedTaskSchema,
  TASK_STATUSES,
  taskRecordSchema,
} from '@baton/protocol';
import { canonicalName } from '@baton/runtime';
import { appendSaid, type Store } from '@baton/store';
import { z } from 'zod';
import { NOBODY, type Principal, userIdOf } from '../../access/principal.ts';
import { editPrompt } from '../../commands/queue-prompt.ts';
import type { DaemonContext } from '../../context.ts';
import { listedTask, taskRecord } from '../../records/record-of.ts';
import { MAX_LARGE_BODY_BYTES } from '../../service/body-limits.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { flagSchema, pageSchema, pageShape } from '../../service/query.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { existingTask, holdsLease } from '../existing.ts';
import { MAX_PROMPT } from '../sessions/schemas.ts';

const RAW_PARTS = 8;
/** So many characters of a prompt or an output are enough for a list. */
const BRIEF = 1000;

const promptSchema = z.strictObject({ full_prompt: z.string().max(MAX_PROMPT) });
const endSchema = z.strictObject({
  status: z.enum(['COMPLETED', 'FAILED', 'CANCELLED']),
  completed_at: z.iso.datetime().optional(),
  output: z.string().optional(),
});
const OUTCOMES = { COMPLETED: 'done', FAILED: 'failed', CANCELLED: 'cancelled' } as const;

const statusSchema = z.enum(TASK_STATUSES);

/** Prompts and what became of them. */
export function tasks({ store }: DaemonContext): ServiceDefinition {
  return {
    path: 'tasks',
    about: 'Prompts and what became of them.',
    events: ['created', 'patched'],
    methods: {
      find: method({
        about:
          'Lists tasks, the newest first unless told otherwise; `search` is for words of their prompts, in any order.',
        allow: ['viewer'],
        query: z.strictObject({
          ...pageShape,
          session_id: z.string().optional(),
          status: statusSchema.or(z.array(statusSchema).min(1)).optional(),
          backend: z.string().max(100).optional(),
          /** The folder of the session. */
          cwd: z.string().max(4096).optional(),
          /** Of the session; tasks of all without it. */
          archived: flagSchema.optional(),
          search: z.string().max(500).optional(),
          sort: z.enum(['newest', 'oldest']).default('newest'),
          /** Only the beginnings of prompts and outputs, which may be very long. */
          brief: flagSchema.default(false),
        }),
        result: pageSchema(listedTaskSchema),
        async act({ query: { limit, skip, session_id, status, backend, sort, brief, ...same } }) {
          const { rows, total } = await store.taskList({
            sessionId: session_id,
            statuses: status === undefined ? undefined : [status].flat(),
            backend: backend === undefined ? undefined : canonicalName(backend),
            order: sort,
            longest: brief ? BRIEF : undefined,
            limit,
            offset: skip,
            ...same,
          });
          return { total, limit, skip, data: rows.map(listedTask) };
        },
      }),
      get: method({
        about: 'Gives one task.',
        allow: ['viewer', 'executor'],
        result: taskRecordSchema,
        act: async ({ id, principal }) => taskRecord(await existingTask(store, id, principal)),
      }),
      patch: method({
        about:
          'Changes a prompt whose turn has not come; an executor that does not report a run says so how its task ended.',
        allow: ['member', 'executor'],
        maxBytes: MAX_LARGE_BODY_BYTES,
        data: z.union([promptSchema, endSchema]),
        result: taskRecordSchema,
        async act({ id, data, principal }) {
          const { session_id } = await existingTask(store, id, principal);
          if (principal.kind === 'executor') await endByExecutor(store, id, principal, data);
          else if ('full_prompt' in data) {
            const prompt = data.full_prompt;
            await editPrompt(store, session_id, { taskId: id, prompt, by: userIdOf(principal) });
          } else throw new BatonError('forbidden', 'Only its executor says how a task ended.');
          return taskRecord(await existingTask(store, id, NOBODY));
        },
      }),
      rawOutput: method({
        about:
          'Gives what the agent of a task really printed, a few parts at a time: each line with 1 for its output or 2 for its errors in front.',
        allow: ['viewer'],
        data: z.strictObject({ task_id: z.string(), after: z.int().min(0).default(0) }),
        result: z.strictObject({
          parts: z.array(z.strictObject({ part: z.int(), text: z.string() })),
          more: z.boolean(),
        }),
        async act({ data: { task_id, after }, principal }) {
          await existingTask(store, task_id, principal);
          const parts = await store.rawOutput.read(task_id, after, RAW_PARTS);
          return {
            parts: parts.map(({ part, bytes }) => ({ part, text: bytes.toString('utf8') })),
            more: parts.length === RAW_PARTS,
          };
        },
      }),
      appendRaw: method({
        about: 'Takes what an agent printed from its executor, and tells how much of it is kept.',
        allow: ['executor'],
        maxBytes: MAX_LARGE_BODY_BYTES,
        data: z.strictObject({ offset: z.int().min(0), text: z.string().max(1024 * 1024) }),
        result: z.strictObject({ bytes: z.int() }),
        async act({ data: { offset, text }, principal }) {
          if (principal.kind !== 'executor' || !(await holdsLease(store, principal))) {
            throw new BatonError('lease_lost', 'The task has ended.');
          }
          const bytes = Buffer.from(text);
          const { taskId } = principal.claims;
          const { 'raw_output.max_bytes': maxBytes } = await readSettings(store);
          const piece = { offset, bytes, maxBytes };
          return { bytes: await store.rawOutput.append(taskId, piece) };
        },
      }),
    },
  };
}

/** Ends a task with the word of its executor. */
async function endByExecutor(
  store: Store,
  id: string,
  { claims }: Extract<Principal, { kind: 'executor' }>,
  data: z.output<typeof promptSchema> | z.output<typeof endSchema>,
): Promise<void> {
  if (!('status' in data) || claims.taskId !== id) {
    throw new BatonError('forbidden', 'An executor only says how its own task ended.');
  }
  const { status, output = '' } = data;
  const now = store.now();
  const { started_at } = (await store.records.tasks.get(id)) ?? {};
  const error =
    status === 'FAILED' ? errorInfo('agent_failed', 'The executor says so.') : undefined;
  const said = {
    type: 'run.completed' as const,
    outcome: OUTCOMES[status],
    output,
    durationMs: now - (started_at ?? now),
    ...(error ? { error } : {}),
  };
  await appendSaid(store.log, { ...claims, say: () => [said], now });
}
