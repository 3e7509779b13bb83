import type { RuleRecord } from '@baton/client';
import { showUnseenInLine } from '@baton/protocol';
import { useState } from 'react';
import { Link } from 'wouter';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { useNow } from '../../data/now.ts';
import { makeStale, useRecords } from '../../data/queries.ts';
import { RecordList } from '../../data/record-list.tsx';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Empty } from '../../design/empty.tsx';
import { LiteralText } from '../../design/literal-text.tsx';
import { Row } from '../../design/rows.tsx';
import { Untruncated } from '../../design/untruncated.tsx';
import { timeAgo } from '../../text/time.ts';
import { AddRule } from './add-rule.tsx';

const PAGE = 100;

/** The rules that allow or deny actions of agents without asking. */
export function Rules() {
  const { client } = useDaemon();
  const isOwner = useMay('owner');
  const [limit, setLimit] = useState(PAGE);
  const query = useRecords(['rules', limit], (each) => each.rules.find({ limit }));
  const remove = async ({ rule_id }: RuleRecord) => {
    await client.rules.remove(rule_id);
    makeStale('rules');
  };
  return (
    <RecordList
      title="Rules"
      about="Automatic permission decisions. Created when you choose “Allow for this session” or “Always allow”."
      query={query}
      onMore={() => setLimit(limit + PAGE)}
      add={isOwner && { label: 'Add folder rule', dialog: AddRule }}
      remove={{
        title: 'Remove the rule?',
        verb: 'Remove',
        act: remove,
        about: () => 'Agents will ask again for this.',
      }}
      empty={
        <Empty icon="shield" title="No rules yet">
          Agents ask according to their permission mode.
        </Empty>
      }
    >
      {(rule, onRemove) => <Rule key={rule.rule_id} rule={rule} onRemove={onRemove} />}
    </RecordList>
  );
}

function Rule({ rule, onRemove }: { rule: RuleRecord; onRemove: () => void }) {
  const now = useNow();
  // Only owners may remove a deny rule.
  const mayRemove = useMay(rule.decision === 'deny' ? 'owner' : 'member');
  const { tool, pattern, decision, folder, session_id, created_at } = rule;
  return (
    <Row
      title={
        <code>
          <Untruncated text={pattern === null ? tool : `${tool} ${pattern}`} />
        </code>
      }
      badges={
        <Badge tone={decision === 'allow' ? 'good' : 'bad'}>
          {decision === 'allow' ? 'allowed' : 'denied'}
        </Badge>
      }
      facts={[
        pattern === null && 'any input',
        folder === null ? (
          <Link key="session" href={`/sessions/${session_id}`}>
            in one session
          </Link>
        ) : (
          <span key="folder">
            in <LiteralText text={folder} />
          </span>
        ),
        `created ${timeAgo(created_at, now)}`,
      ]}
      actions={
        mayRemove && (
          <Button
            small
            look="danger"
            onClick={onRemove}
            aria-label={`Remove the rule for ${showUnseenInLine(tool)}`}
          >
            Remove
          </Button>
        )
      }
    />
  );
}
