import { permissionAnswerSchema, questionAnswerSchema, type RequestAnswer } from '@baton/protocol';
import type { RequestRow } from '@baton/store';
import { z } from 'zod';
import { userIdOf } from '../../access/principal.ts';
import { answerRequest } from '../../commands/answer-request.ts';
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { MAX_LARGE_BODY_BYTES } from '../../service/body-limits.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { pageOf, pageSchema, pageShape } from '../../service/query.ts';
import { checkOwner } from '../check-owner.ts';

const requestRecordSchema = z.looseObject({
  session_id: z.string(),
  task_id: z.string(),
  request_id: z.string(),
  kind: z.enum(['permission', 'question']),
  status: z.enum(['pending', 'answered', 'resolved']),
  request: z.looseObject({}),
  answer: z.looseObject({}).nullable(),
  answered_by: z.string().nullable(),
  asked_at: z.iso.datetime(),
  answered_at: z.iso.datetime().nullable(),
});

/** Everything that waits for a person, over all sessions. */
export function permissions({ store, lookAtRequests }: DaemonContext): ServiceDefinition {
  const { requests: table } = store.records;
  return {
    path: 'permissions',
    about: 'Requests of agents: everything that waits for a person, over all sessions.',
    methods: {
      find: method({
        about: 'Lists requests, those that wait longest first.',
        allow: ['viewer'],
        query: z.strictObject({
          ...pageShape,
          session_id: z.string().optional(),
          status: z.enum(['pending', 'answered', 'resolved']).default('pending'),
        }),
        result: pageSchema(requestRecordSchema),
        act: ({ query: { limit, skip, ...where } }) =>
          pageOf(table, { where, orderBy: ['asked_at', 'asc'], limit, skip }, requestRecord),
      }),
      answer: method({
        about:
          'Answers a request. The first answer counts; a later one is told that it came late. A pattern for always is for owners.',
        allow: ['member'],
        // An answer may have the edited input of a tool, such as a whole file.
        maxBytes: MAX_LARGE_BODY_BYTES,
        data: z.strictObject({
          session_id: z.string(),
          task_id: z.string(),
          request_id: z.string(),
          answer: z.union([permissionAnswerSchema, questionAnswerSchema]),
          /** What an answer for longer than once allows; exactly the same again unless told otherwise. */
          pattern: z.string().max(100_000).optional(),
        }),
        result: z.looseObject({ receipt: z.enum(['accepted', 'late']) }),
        async act({ data, principal }) {
          const isAlways = 'scope' in data.answer && data.answer.scope === 'always';
          if (isAlways && data.pattern !== undefined) {
            checkOwner(principal, 'A pattern for always is for the sessions of everybody there.');
          }
          const receipt = await answerRequest(store, data.session_id, {
            taskId: data.task_id,
            requestId: data.request_id,
            answer: { ...data.answer, by: 'person' } as RequestAnswer,
            by: userIdOf(principal),
            pattern: data.pattern,
          });
          // Others may wait for the same, and have their answer with the rule.
          if ('scope' in data.answer && data.answer.scope !== 'once') await lookAtRequests();
          return { receipt };
        },
      }),
    },
  };
}

function requestRecord(row: RequestRow) {
  const { request, answer, resolution, asked_at, answered_at, ...same } = row;
  return {
    ...same,
    request: JSON.parse(request),
    answer: answer === null ? null : JSON.parse(answer),
    asked_at: moment(asked_at),
    answered_at: answered_at === null ? null : moment(answered_at),
  };
}
