import { BatonError, errorInfo } from '@baton/protocol';
import { type TaskPatch, tasksWire } from '@baton/protocol/wire';
import { appendSaid, type Store } from '@baton/store';
import { existingTask, holdsLease } from '../../access/existing.ts';
import { NOBODY, type Principal, userIdOf } from '../../access/principal.ts';
import { editPrompt } from '../../commands/queue-prompt.ts';
import type { DaemonContext } from '../../context.ts';
import { listedTask, taskRecord } from '../../records/record-of.ts';
import { MAX_LARGE_BODY_BYTES } from '../../service/body-limits.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { readSettings } from '../../settings/read-settings.ts';

const RAW_PARTS = 8;
/** Maximum number of characters of a prompt or an output in a list. */
const BRIEF = 1000;

const OUTCOMES = { COMPLETED: 'done', FAILED: 'failed', CANCELLED: 'cancelled' } as const;

/** Prompts and their outcomes. */
export function tasks({ store, baton: { registry } }: DaemonContext): ServiceOf<'tasks'> {
  return {
    path: 'tasks',
    about: 'Prompts and their outcomes.',
    events: ['created', 'patched'],
    methods: {
      find: method(tasksWire.find, {
        about:
          'Lists tasks, newest first by default, with the beginnings of their prompts and outputs; `get` returns all of them. `search` matches words of their prompts, in any order.',
        allow: ['viewer'],
        async act({
          query: { limit, skip, session_id, status, backend, sort, brief: _brief, ...same },
        }) {
          const { rows, total } = await store.taskList({
            sessionId: session_id,
            statuses: status === undefined ? undefined : [status].flat(),
            backend: backend === undefined ? undefined : registry.canonicalName(backend),
            order: sort,
            longest: BRIEF,
            limit,
            offset: skip,
            ...same,
          });
          return { total, limit, skip, data: rows.map(listedTask) };
        },
      }),
      get: method(tasksWire.get, {
        about: 'Returns one task.',
        allow: ['viewer', 'executor'],
        act: async ({ id, principal }) => taskRecord(await existingTask(store, id, principal)),
      }),
      patch: method(tasksWire.patch, {
        about:
          'Edits a queued prompt. Executors that report no run events use it to report the outcome of their task.',
        allow: ['member', 'executor'],
        maxBytes: MAX_LARGE_BODY_BYTES,
        async act({ id, data, principal }) {
          const { session_id } = await existingTask(store, id, principal);
          if (principal.kind === 'executor') await endByExecutor(store, id, principal, data);
          else if ('full_prompt' in data) {
            const prompt = data.full_prompt;
            await editPrompt(store, session_id, { taskId: id, prompt, by: userIdOf(principal) });
          } else
            throw new BatonError(
              'forbidden',
              'Only the executor of a task can report its outcome.',
            );
          return taskRecord(await existingTask(store, id, NOBODY));
        },
      }),
      rawOutput: method(tasksWire.rawOutput, {
        about:
          "Returns the raw output of a task's agent, in pages. Each line is prefixed with 1 for stdout or 2 for stderr.",
        allow: ['viewer'],
        async act({ data: { task_id, after }, principal }) {
          await existingTask(store, task_id, principal);
          const parts = await store.rawOutput.read(task_id, after, RAW_PARTS);
          return {
            parts: parts.map(({ part, bytes }) => ({ part, text: bytes.toString('utf8') })),
            more: parts.length === RAW_PARTS,
          };
        },
      }),
      appendRaw: method(tasksWire.appendRaw, {
        about: 'Accepts raw agent output from an executor and returns how much of it is stored.',
        allow: ['executor'],
        maxBytes: MAX_LARGE_BODY_BYTES,
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
  data: TaskPatch,
): Promise<void> {
  if (!('status' in data) || claims.taskId !== id) {
    throw new BatonError('forbidden', 'An executor can only report the outcome of its own task.');
  }
  const { status, output = '' } = data;
  const now = store.now();
  const { started_at } = (await store.records.tasks.get(id)) ?? {};
  const error =
    status === 'FAILED' ? errorInfo('agent_failed', 'Reported by the executor.') : undefined;
  const said = {
    type: 'run.completed' as const,
    outcome: OUTCOMES[status],
    output,
    durationMs: now - (started_at ?? now),
    ...(error ? { error } : {}),
  };
  await appendSaid(store.log, { ...claims, say: () => [said], now });
}
