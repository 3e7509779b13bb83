import { randomUUID } from 'node:crypto';
import { BatonError } from '@baton/protocol';
import { type RuleRecord, rulesWire } from '@baton/protocol/wire';
import type { RuleRow } from '@baton/store';
import { checkOwner } from '../../access/check-owner.ts';
import { existingSession } from '../../access/existing.ts';
import { userIdOf } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { method, type ServiceOf } from '../../service/definition.ts';
import { pageOf } from '../../service/query.ts';

/** Service for rules that decide requests without asking a user. */
export function rules({ store, lookAtRequests }: DaemonContext): ServiceOf<'rules'> {
  const { rules: table } = store.records;
  return {
    path: 'rules',
    about:
      'Rules that allow or deny without asking, by tool and pattern, for a session or a folder.',
    methods: {
      find: method(rulesWire.find, {
        about: 'Lists rules, newest first.',
        allow: ['viewer'],
        act: ({ query: { limit, skip, ...where } }) =>
          pageOf(table, { where, orderBy: ['created_at', 'desc'], limit, skip }, ruleRecord),
      }),
      create: method(rulesWire.create, {
        about:
          'Adds a rule for a session or a folder. In a pattern, * is a wildcard; without a pattern, the rule matches any use of the tool.',
        allow: ['member'],
        async act({ data, principal }) {
          const { session_id = null, folder = null, ...same } = data;
          if ((session_id === null) === (folder === null)) {
            throw new BatonError('usage', 'A rule needs either a session or a folder.');
          }
          if (session_id !== null) await existingSession(store, session_id, principal);
          else checkOwner(principal, "A folder rule applies to everyone's sessions in the folder.");
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
      remove: method(rulesWire.remove, {
        about: 'Deletes a rule. Agents ask again afterwards.',
        allow: ['member'],
        async act({ id, principal }) {
          const rule = await table.get(id);
          if (rule?.decision === 'deny') checkOwner(principal, 'This rule denies an action.');
          const removed = await table.remove({ rule_id: id });
          if (removed === 0) throw new BatonError('not_found', `Rule "${id}" not found.`);
          return { rule_id: id };
        },
      }),
    },
  };
}

function ruleRecord({ created_at, decision, ...same }: RuleRow): RuleRecord {
  return {
    ...same,
    decision: decision as RuleRecord['decision'],
    created_at: moment(created_at),
  };
}
