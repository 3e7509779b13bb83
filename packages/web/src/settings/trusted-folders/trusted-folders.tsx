import type { FolderDecision } from '@baton/client';
import { showUnseenInLine } from '@baton/protocol';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { makeStale, useRecords } from '../../data/queries.ts';
import { RecordList } from '../../data/record-list.tsx';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Empty } from '../../design/empty.tsx';
import { TextField } from '../../design/field.tsx';
import { LiteralText } from '../../design/literal-text.tsx';
import { Row } from '../../design/rows.tsx';

/** The folders whose settings agents may use, and those whose settings they may not. */
export function TrustedFolders() {
  const mayDecide = useMay('member');
  const query = useRecords(['trustedFolders'], (each) => each.trustedFolders.find(), {
    onReturn: true,
  });
  return (
    <RecordList
      title="Trusted folders"
      about="Agents use a folder’s hooks, MCP servers and rules only if the folder is trusted."
      query={query}
      add={mayDecide && { label: 'Trust a folder', dialog: TrustFolder }}
      empty={
        <Empty icon="shield" title="No trusted folders">
          Baton asks when a session starts in a folder with agent settings.
        </Empty>
      }
    >
      {(decision) => <Decision key={decision.folder} decision={decision} mayDecide={mayDecide} />}
    </RecordList>
  );
}

function TrustFolder({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { client } = useDaemon();
  const trust = async (fields: FormData) => {
    await client.trustedFolders.create({ folder: String(fields.get('folder')), trusted: true });
    makeStale('trustedFolders');
  };
  return (
    <FormDialog title="Trust a folder" open={open} onClose={onClose} verb="Trust" onSubmit={trust}>
      <TextField
        label="Folder"
        name="folder"
        required
        placeholder="/home/me/project"
        hint="Absolute path on the daemon’s machine. Subfolders are trusted too."
      />
    </FormDialog>
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
      title={<LiteralText text={folder} />}
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
