import type { TokenRecord } from '@baton/client';
import { useState } from 'react';
import { Answered } from '../../data/answered.tsx';
import { useDaemon } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { useNow } from '../../data/now.ts';
import { makeStale, useRecords } from '../../data/queries.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Empty } from '../../design/empty.tsx';
import { Section } from '../../design/page-frame.tsx';
import { Row, Rows } from '../../design/rows.tsx';
import { timeAgo } from '../../text/time.ts';
import { AddToken } from './add-token.tsx';

/** The tokens with which scripts of the person sign in. */
export function Tokens() {
  const { client } = useDaemon();
  const [isAdding, setAdding] = useState(false);
  const [revoked, setRevoked] = useState<TokenRecord>();
  const query = useRecords(['tokens'], (each) => each.tokens.find());
  const revoke = async () => {
    if (revoked) await client.tokens.remove(revoked.token_id);
    makeStale('tokens');
  };
  return (
    <Section
      title="Tokens"
      about="With a token a script does what you may do, or less."
      actions={
        <Button icon="add" onClick={() => setAdding(true)}>
          New token
        </Button>
      }
    >
      <Answered query={query}>
        {(tokens) => (
          <Rows
            label="Tokens"
            empty={
              <Empty icon="key" title="No token yet">
                Scripts and other programs sign in with one.
              </Empty>
            }
          >
            {tokens.map((token) => (
              <Token key={token.token_id} token={token} onRevoke={() => setRevoked(token)} />
            ))}
          </Rows>
        )}
      </Answered>
      <AddToken open={isAdding} onClose={() => setAdding(false)} />
      <FormDialog
        title="Revoke the token?"
        open={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        verb="Revoke"
        danger
        onSubmit={revoke}
      >
        <p>
          Whatever uses <strong dir="auto">{revoked?.name}</strong> is let in no more.
        </p>
      </FormDialog>
    </Section>
  );
}

function Token({ token, onRevoke }: { token: TokenRecord; onRevoke: () => void }) {
  const now = useNow();
  const { name, role, created_at, expires_at, last_used_at, revoked_at } = token;
  const isOver = expires_at !== null && Date.parse(expires_at) <= now;
  const isGood = revoked_at === null && !isOver;
  return (
    <Row
      title={<span dir="auto">{name}</span>}
      badges={!isGood && <Badge tone="warn">{revoked_at ? 'revoked' : 'expired'}</Badge>}
      facts={[
        role,
        `made ${timeAgo(created_at, now)}`,
        last_used_at ? `used ${timeAgo(last_used_at, now)}` : 'never used',
        isGood && (expires_at ? `good until ${expires_at.slice(0, 10)}` : 'good for ever'),
      ]}
      actions={
        isGood && (
          <Button small look="danger" onClick={onRevoke} aria-label={`Revoke ${name}`}>
            Revoke
          </Button>
        )
      }
    />
  );
}
