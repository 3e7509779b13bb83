import { TASK_STATUSES, taskRecordSchema } from '@baton/protocol';
import { z } from 'zod';
import { userIdOf } from '../../access/principal.ts';
import { editPrompt } from '../../commands/queue-prompt.ts';
import type { DaemonContext } from '../../context.ts';
import { taskRecord } from '../../records/record-of.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { pageOf, pageSchema, pageShape } from '../../service/query.ts';
import { existingTask } from '../existing.ts';

const statusSchema = z.enum(TASK_STATUSES);

/** Prompts and what became of them. */
export function tasks({ store }: DaemonContext): ServiceDefinition {
  const { tasks: table } = store.records;
  return {
    path: 'tasks',
    about: 'Prompts and what became of them.',
    methods: {
      find: method({
        about: 'Lists tasks, the newest first.',
        allow: ['viewer'],
        query: z.strictObject({
          ...pageShape,
          session_id: z.string().optional(),
          status: statusSchema.or(z.array(statusSchema)).optional(),
        }),
        result: pageSchema(taskRecordSchema),
        act: ({ query: { limit, skip, ...where } }) =>
          pageOf(table, { where, orderBy: ['created_at', 'desc'], limit, skip }, taskRecord),
      }),
      get: method({
        about: 'Gives one task.',
        allow: ['viewer', 'executor'],
        result: taskRecordSchema,
        act: async ({ id, principal }) => taskRecord(await existingTask(store, id, principal)),
      }),
      patch: method({
        about: 'Changes a prompt whose turn has not come.',
        allow: ['member'],
        data: z.strictObject({ full_prompt: z.string().max(10_000_000) }),
        result: taskRecordSchema,
        async act({ id, data, principal }) {
          const { session_id } = await existingTask(store, id, principal);
          const prompt = data.full_prompt;
          await editPrompt(store, session_id, { taskId: id, prompt, by: userIdOf(principal) });
          return taskRecord(await existingTask(store, id, principal));
        },
      }),
    },
  };
}
