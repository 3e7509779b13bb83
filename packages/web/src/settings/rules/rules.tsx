import type { RuleRecord } from '@baton/client';
import { showUnseenInLine } from '@baton/protocol';
import { useState } from 'react';
import { Link } from 'wouter';
import { Answered } from '../../data/answered.tsx';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { useNow } from '../../data/now.ts';
import { makeStale, useRecords } from '../../data/queries.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Empty } from '../../design/empty.tsx';
import { Exact } from '../../design/exact.tsx';
import { Section } from '../../design/page-frame.tsx';
import { Row, Rows } from '../../design/rows.tsx';
import { Whole } from '../../design/whole.tsx';
import { timeAgo } from '../../text/time.ts';
import { AddRule } from './add-rule.tsx';

const PAGE = 100;

/** What agents may do, or not, without asking anybody. */
export function Rules() {
  const { client } = useDaemon();
  const isOwner = useMay('owner');
  const [limit, setLimit] = useState(PAGE);
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<RuleRecord>();
  const query = useRecords(['rules', limit], (each) => each.rules.find({ limit }));
  const remove = async () => {
    if (removed) await client.rules.remove(removed.rule_id);
    makeStale('rules');
  };
  return (
    <Section
      title="Rules"
      about='What is decided without asking: an answer "for this session" or "always" makes one.'
      actions={
        isOwner && (
          <Button icon="add" onClick={() => setAdding(true)}>
            Rule for a folder
          </Button>
        )
      }
    >
      <Answered query={query}>
        {({ data, total }) => (
          <>
            <Rows
              label="Rules"
              empty={
                <Empty icon="shield" title="No rule yet">
                  Agents ask each time, as their permission mode says.
                </Empty>
              }
            >
              {data.map((rule) => (
                <Rule key={rule.rule_id} rule={rule} onRemove={() => setRemoved(rule)} />
              ))}
            </Rows>
            {total > data.length && (
              <Button onClick={() => setLimit(limit + PAGE)}>Show more</Button>
            )}
          </>
        )}
      </Answered>
      <AddRule open={isAdding} onClose={() => setAdding(false)} />
      <FormDialog
        title="Remove the rule?"
        open={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        verb="Remove"
        danger
        onSubmit={remove}
      >
        <p>From then on a person is asked again.</p>
      </FormDialog>
    </Section>
  );
}

function Rule({ rule, onRemove }: { rule: RuleRecord; onRemove: () => void }) {
  const now = useNow();
  // What forbids something is not for everybody to lift.
  const mayRemove = useMay(rule.decision === 'deny' ? 'owner' : 'member');
  const { tool, pattern, decision, folder, session_id, created_at } = rule;
  return (
    <Row
      title={
        <code>
          <Whole text={pattern === null ? tool : `${tool} ${pattern}`} />
        </code>
      }
      badges={
        <Badge tone={decision === 'allow' ? 'good' : 'bad'}>
          {decision === 'allow' ? 'allowed' : 'denied'}
        </Badge>
      }
      facts={[
        pattern === null && 'every use',
        folder === null ? (
          <Link key="session" href={`/sessions/${session_id}`}>
            in one session
          </Link>
        ) : (
          <span key="folder">
            in <Exact text={folder} />
          </span>
        ),
        `made ${timeAgo(created_at, now)}`,
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
