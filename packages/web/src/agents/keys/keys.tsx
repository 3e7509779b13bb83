import type { ApiKeyRecord } from '@baton/client';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { useNow } from '../../data/now.ts';
import { makeStale, useRecords } from '../../data/queries.ts';
import { RecordList } from '../../data/record-list.tsx';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Empty } from '../../design/empty.tsx';
import { Row } from '../../design/rows.tsx';
import { timeAgo } from '../../text/time.ts';
import { AddKey } from './add-key.tsx';

/** The keys that agents are given for their providers. */
export function Keys() {
  const { client } = useDaemon();
  const mayAdd = useMay('member');
  const query = useRecords(['apiKeys'], (each) => each.apiKeys.find());
  const remove = async ({ key_id }: ApiKeyRecord) => {
    await client.apiKeys.remove(key_id);
    makeStale('apiKeys', 'backends');
  };
  return (
    <RecordList
      title="API keys"
      about="Injected into tasks. Your keys override shared ones. Values can’t be viewed after saving."
      query={query}
      add={mayAdd && { label: 'Add a key', dialog: AddKey }}
      remove={{
        title: 'Remove the key?',
        verb: 'Remove',
        act: remove,
        about: ({ shared, name }) => (
          <>
            {shared ? 'All agents' : 'Your agents'} that need <code>{name}</code> will stop working.
          </>
        ),
      }}
      empty={
        <Empty icon="key" title="No keys yet">
          Not needed for agents you’ve signed in to directly.
        </Empty>
      }
    >
      {(key, onRemove) => <Key key={key.key_id} record={key} onRemove={onRemove} />}
    </RecordList>
  );
}

function Key({ record, onRemove }: { record: ApiKeyRecord; onRemove: () => void }) {
  const now = useNow();
  const { name, shared, created_at } = record;
  const mayRemove = useMay(shared ? 'owner' : 'member');
  return (
    <Row
      title={<code>{name}</code>}
      badges={<Badge tone={shared ? 'info' : 'neutral'}>{shared ? 'shared' : 'yours'}</Badge>}
      facts={[`added ${timeAgo(created_at, now)}`]}
      actions={
        mayRemove && (
          <Button small look="danger" onClick={onRemove} aria-label={`Remove ${name}`}>
            Remove
          </Button>
        )
      }
    />
  );
}
