import type { FolderDecision } from '@baton/client';
import { showUnseenInLine } from '@baton/protocol';
import { useState } from 'react';
import { Answered } from '../../data/answered.tsx';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { makeStale, useRecords } from '../../data/queries.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Empty } from '../../design/empty.tsx';
import { Exact } from '../../design/exact.tsx';
import { TextField } from '../../design/field.tsx';
import { Section } from '../../design/page-frame.tsx';
import { Row, Rows } from '../../design/rows.tsx';

/** The folders whose settings agents may use, and those whose settings they may not. */
export function TrustedFolders() {
  const { client } = useDaemon();
  const mayDecide = useMay('member');
  const [isAdding, setAdding] = useState(false);
  const query = useRecords(['trustedFolders'], (each) => each.trustedFolders.find(), {
    onReturn: true,
  });
  const trust = async (fields: FormData) => {
    await client.trustedFolders.create({ folder: String(fields.get('folder')), trusted: true });
    makeStale('trustedFolders');
  };
  return (
    <Section
      title="Trusted folders"
      about="Agents use hooks, MCP servers and rules of a folder only if somebody trusts it."
      actions={
        mayDecide && (
          <Button icon="add" onClick={() => setAdding(true)}>
            Trust a folder
          </Button>
        )
      }
    >
      <Answered query={query}>
        {(decisions) => (
          <Rows
            label="Trusted folders"
            empty={
              <Empty icon="shield" title="No trusted folders">
                You are asked when a session starts in a folder that has settings for its agent.
              </Empty>
            }
          >
            {decisions.map((decision) => (
              <Decision key={decision.folder} decision={decision} mayDecide={mayDecide} />
            ))}
          </Rows>
        )}
      </Answered>
      <FormDialog
        title="Trust a folder"
        open={isAdding}
        onClose={() => setAdding(false)}
        verb="Trust"
        onSubmit={trust}
      >
        <TextField
          label="Folder"
          name="folder"
          required
          placeholder="/home/me/project"
          hint="The absolute path on the daemon's machine. Everything in it is trusted too."
        />
      </FormDialog>
    </Section>
  );
}

type Props = { decision: FolderDecision; mayDecide: boolean };

function Decision({ decision: { folder, trusted }, mayDecide }: Props) {
  const { client } = useDaemon();
  const forget = async () => {
    await client.trustedFolders.forget({ folder });
    makeStale('trustedFolders');
  };
  return (
    <Row
      title={<Exact text={folder} />}
      badges={<Badge tone={trusted ? 'good' : 'bad'}>{trusted ? 'trusted' : 'not trusted'}</Badge>}
      actions={
        mayDecide && (
          <Button small onClick={forget} aria-label={`Forget ${showUnseenInLine(folder)}`}>
            Forget
          </Button>
        )
      }
    />
  );
}
