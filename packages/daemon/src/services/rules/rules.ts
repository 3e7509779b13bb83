import { randomUUID } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { BatonError } from '@baton/protocol';
import type { RuleRow } from '@baton/store';
import { z } from 'zod';
import { userIdOf } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { pageOf, pageSchema, pageShape } from '../../service/query.ts';
import { checkOwner } from '../check-owner.ts';
import { existingSession } from '../existing.ts';

const ruleRecordSchema = z.looseObject({
  rule_id: z.string(),
  session_id: z.string().nullable(),
  folder: z.string().nullable(),
  tool: z.string(),
  pattern: z.string().nullable(),
  decision: z.enum(['allow', 'deny']),
  created_by: z.string().nullable(),
  created_at: z.iso.datetime(),
});

const ruleSchema = z.strictObject({
  session_id: z.string().optional(),
  folder: z.string().max(4096).refine(isAbsolute, 'give a whole path').optional(),
  tool: z.string().min(1).max(300),
  pattern: z.string().max(100_000).nullable().default(null),
  decision: z.enum(['allow', 'deny']),
});

/** What is decided without asking a person. */
export function rules({ store, lookAtRequests }: DaemonContext): ServiceDefinition {
  const { rules: table } = store.records;
  return {
    path: 'rules',
    about:
      'What is allowed or denied without asking, by tool and pattern, in a session or a folder.',
    methods: {
      find: method({
        about: 'Lists rules, the newest first.',
        allow: ['viewer'],
        query: z.strictObject({
          ...pageShape,
          session_id: z.string().optional(),
          folder: z.string().optional(),
        }),
        result: pageSchema(ruleRecordSchema),
        act: ({ query: { limit, skip, ...where } }) =>
          pageOf(table, { where, orderBy: ['created_at', 'desc'], limit, skip }, ruleRecord),
      }),
      create: method({
        about:
          'Adds a rule for a session or a folder. In a pattern, * stands for anything; without one it is for every use of the tool.',
        allow: ['member'],
        data: ruleSchema,
        result: ruleRecordSchema,
        async act({ data, principal }) {
          const { session_id = null, folder = null, ...same } = data;
          if ((session_id === null) === (folder === null)) {
            throw new BatonError('usage', 'A rule is for a session or for a folder.');
          }
          if (session_id !== null) await existingSession(store, session_id, principal);
          else checkOwner(principal, 'A rule for a folder is for the sessions of everybody there.');
          const row = await table.insert({
            rule_id: randomUUID(),
            session_id,
            folder,
            ...same,
            created_by: userIdOf(principal) ?? null,
            created_at: store.now(),
          });
          await lookAtRequests();
          return ruleRecord(row);
        },
      }),
      remove: method({
        about: 'Removes a rule; from then on a person is asked again.',
        allow: ['member'],
        result: z.strictObject({ rule_id: z.string() }),
        async act({ id, principal }) {
          const rule = await table.get(id);
          if (rule?.decision === 'deny') checkOwner(principal, 'This rule forbids something.');
          const removed = await table.remove({ rule_id: id });
          if (removed === 0) throw new BatonError('not_found', `There is no rule "${id}".`);
          return { rule_id: id };
        },
      }),
    },
  };
}

function ruleRecord({ created_at, ...same }: RuleRow) {
  return { ...same, created_at: moment(created_at) };
}
