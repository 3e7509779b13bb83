import type { AnsweredBy, RequestAnswer } from '@baton/protocol';
import { type PendingRecord, permissionsWire } from '@baton/protocol/wire';
import type { Match, RequestRow } from '@baton/store';
import { checkOwner } from '../../access/check-owner.ts';
import { userIdOf } from '../../access/principal.ts';
import { answerRequest } from '../../commands/answer-request.ts';
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { MAX_LARGE_BODY_BYTES, MAX_PAGE_CHARACTERS } from '../../service/body-limits.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

type RequestQuery = { where: Match<RequestRow>; limit: number; skip: number };

/** Number of requests read at once; each may be long. */
const AT_ONCE = 10;

/** Service for permission requests and questions of all sessions. */
export function permissions({
  store,
  baton,
  lookAtRequests,
}: DaemonContext): ServiceOf<'permissions'> {
  const { requests: table } = store.records;
  /**
   * Reads a page of requests. The input of a tool may be a whole file: a page of long requests is shorter, but has at
   * least one.
   */
  const fittingRows = async ({ where, limit, skip }: RequestQuery): Promise<RequestRow[]> => {
    const fitting: RequestRow[] = [];
    let left = MAX_PAGE_CHARACTERS;
    while (fitting.length < limit) {
      const part = {
        limit: Math.min(AT_ONCE, limit - fitting.length),
        offset: skip + fitting.length,
      };
      const rows = await table.find({ where, orderBy: ['asked_at', 'asc'], ...part });
      for (const row of rows) {
        left -= row.request.length;
        if (left < 0 && fitting.length > 0) return fitting;
        fitting.push(row);
      }
      if (rows.length < part.limit) break;
    }
    return fitting;
  };
  return {
    path: 'permissions',
    about: 'Permission requests and questions of agents, across all sessions.',
    methods: {
      find: method(permissionsWire.find, {
        about: 'Lists requests, oldest first; fewer than the limit when they are long.',
        allow: ['viewer'],
        async act({ query: { limit, skip, ...where } }) {
          const data = await fittingRows({ where, limit, skip });
          return { total: await table.count(where), limit, skip, data: data.map(requestRecord) };
        },
      }),
      answer: method(permissionsWire.answer, {
        about:
          'Answers a request. The first answer wins; a later one gets the status `late`. A pattern with scope `always` requires the owner role.',
        allow: ['member'],
        // An answer may have the edited input of a tool, such as a whole file.
        maxBytes: MAX_LARGE_BODY_BYTES,
        async act({ data, principal }) {
          const isAlways = 'scope' in data.answer && data.answer.scope === 'always';
          if (isAlways && data.pattern !== undefined) {
            checkOwner(
              principal,
              'A pattern with scope "always" applies to everyone\'s sessions in the folder.',
            );
          }
          const receipt = await answerRequest(store, data.session_id, {
            taskId: data.task_id,
            requestId: data.request_id,
            answer: { ...data.answer, by: answererIn(data.answer) } as RequestAnswer,
            by: userIdOf(principal),
            pattern: data.pattern,
            protectedPaths: baton.protectedPaths(),
          });
          // Others may wait for the same, and have their answer with the rule.
          if ('scope' in data.answer && data.answer.scope !== 'once') await lookAtRequests();
          return { receipt };
        },
      }),
    },
  };
}

/** A program may report its own timeout; every other answer counts as that of a user. */
function answererIn({ by }: RequestAnswer): AnsweredBy {
  return by === 'timeout' ? by : 'person';
}

function requestRecord(row: RequestRow): PendingRecord {
  const { request, answer, resolution, asked_at, answered_at, ...same } = row;
  return {
    ...same,
    request: JSON.parse(request),
    answer: answer === null ? null : JSON.parse(answer),
    asked_at: moment(asked_at),
    answered_at: answered_at === null ? null : moment(answered_at),
  } as PendingRecord;
}
