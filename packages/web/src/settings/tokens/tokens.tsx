import type { TokenRecord } from '@baton/client';
import { useDaemon } from '../../data/daemon.tsx';
import { useNow } from '../../data/now.ts';
import { makeStale, useRecords } from '../../data/queries.ts';
import { RecordList } from '../../data/record-list.tsx';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Empty } from '../../design/empty.tsx';
import { Row } from '../../design/rows.tsx';
import { timeAgo } from '../../text/time.ts';
import { AddToken } from './add-token.tsx';

/** The tokens with which scripts of the user sign in. */
export function Tokens() {
  const { client } = useDaemon();
  const query = useRecords(['tokens'], (each) => each.tokens.find());
  const revoke = async ({ token_id }: TokenRecord) => {
    await client.tokens.remove(token_id);
    makeStale('tokens');
  };
  return (
    <RecordList
      title="Tokens"
      about="Tokens let scripts act on your behalf, with your role or lower."
      query={query}
      add={{ label: 'New token', dialog: AddToken }}
      remove={{
        title: 'Revoke the token?',
        verb: 'Revoke',
        act: revoke,
        about: ({ name }) => (
          <>
            Anything using <strong dir="auto">{name}</strong> will stop working.
          </>
        ),
      }}
      empty={
        <Empty icon="key" title="No tokens yet">
          Scripts and other programs use tokens to sign in.
        </Empty>
      }
    >
      {(token, onRevoke) => <Token key={token.token_id} token={token} onRevoke={onRevoke} />}
    </RecordList>
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
        `created ${timeAgo(created_at, now)}`,
        last_used_at ? `used ${timeAgo(last_used_at, now)}` : 'never used',
        isGood && (expires_at ? `expires ${expires_at.slice(0, 10)}` : 'no expiration'),
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
