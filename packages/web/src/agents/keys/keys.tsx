import type { ApiKeyRecord } from '@baton/client';
import { useState } from 'react';
import { Answered } from '../../data/answered.tsx';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { useNow } from '../../data/now.ts';
import { makeStale, useRecords } from '../../data/queries.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Empty } from '../../design/empty.tsx';
import { Section } from '../../design/page-frame.tsx';
import { Row, Rows } from '../../design/rows.tsx';
import { timeAgo } from '../../text/time.ts';
import { AddKey } from './add-key.tsx';

/** The keys that agents are given for their providers. */
export function Keys() {
  const { client } = useDaemon();
  const mayAdd = useMay('member');
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<ApiKeyRecord>();
  const query = useRecords(['apiKeys'], (each) => each.apiKeys.find());
  const remove = async () => {
    if (removed) await client.apiKeys.remove(removed.key_id);
    makeStale('apiKeys', 'backends');
  };
  return (
    <Section
      title="API keys"
      about="Agents get them for their tasks: your own before the shared ones. Nobody gets to see a value again."
      actions={
        mayAdd && (
          <Button icon="add" onClick={() => setAdding(true)}>
            Add a key
          </Button>
        )
      }
    >
      <Answered query={query}>
        {(keys) => (
          <Rows
            label="API keys"
            empty={
              <Empty icon="key" title="No key yet">
                Agents that you have signed in with themselves need none.
              </Empty>
            }
          >
            {keys.map((key) => (
              <Key key={key.key_id} record={key} onRemove={() => setRemoved(key)} />
            ))}
          </Rows>
        )}
      </Answered>
      <AddKey open={isAdding} onClose={() => setAdding(false)} />
      <FormDialog
        title="Remove the key?"
        open={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        verb="Remove"
        danger
        onSubmit={remove}
      >
        <p>
          Agents of {removed?.shared ? 'everybody' : 'yours'} that need <code>{removed?.name}</code>{' '}
          cannot work without it.
        </p>
      </FormDialog>
    </Section>
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
      facts={[`kept ${timeAgo(created_at, now)}`]}
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
