import type { UserRecord } from '@baton/client';
import { useState } from 'react';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { makeStale, useRecords } from '../../data/queries.ts';
import { RecordList } from '../../data/record-list.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { SelectField, TextField } from '../../design/field.tsx';
import { LinkOnce } from './one-time-secret.tsx';
import { ROLES_IN_WORDS } from './role-options.ts';
import { User } from './user.tsx';

type Invitation = { name: string; secret: string };

/** The users of the daemon and their roles. */
export function Users() {
  const mayChange = useMay('owner');
  const [invitation, setInvitation] = useState<Invitation>();
  const query = useRecords(['users'], (client) => client.users.find());
  const invite = ({ name }: UserRecord, secret: string) => setInvitation({ name, secret });
  return (
    <>
      <RecordList
        title="Users"
        about={`People with access to this daemon.${mayChange ? '' : ' Only owners can change this.'}`}
        query={query}
        add={mayChange && { label: 'Add a user', dialog: AddUser }}
      >
        {(user) => <User key={user.user_id} user={user} mayChange={mayChange} onLink={invite} />}
      </RecordList>
      <Dialog
        title="One-time link"
        open={invitation !== undefined}
        onClose={() => setInvitation(undefined)}
      >
        {invitation && <LinkOnce {...invitation} />}
      </Dialog>
    </>
  );
}

function AddUser({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { client } = useDaemon();
  const add = async (fields: FormData) => {
    const name = String(fields.get('name'));
    const role = fields.get('role') as UserRecord['role'];
    const { link_secret } = await client.users.create({ name, role });
    makeStale('users');
    return <LinkOnce name={name} secret={link_secret} />;
  };
  return (
    <FormDialog title="Add a user" open={open} onClose={onClose} verb="Add" onSubmit={add}>
      <TextField label="Name" name="name" required maxLength={100} dir="auto" autoComplete="off" />
      <SelectField label="Role" name="role" defaultValue="member" options={ROLES_IN_WORDS} />
    </FormDialog>
  );
}
