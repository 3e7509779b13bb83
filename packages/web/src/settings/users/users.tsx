import type { UserRecord } from '@baton/client';
import { useState } from 'react';
import { Answered } from '../../data/answered.tsx';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { makeStale, useRecords } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { SelectField, TextField } from '../../design/field.tsx';
import { Section } from '../../design/page-frame.tsx';
import { Rows } from '../../design/rows.tsx';
import { ROLES_IN_WORDS } from '../role-options.ts';
import { LinkOnce } from '../secret-once.tsx';
import { User } from './user.tsx';

type Invitation = { name: string; secret: string };

/** Who may use the daemon, and as what. */
export function Users() {
  const mayChange = useMay('owner');
  const [isAdding, setAdding] = useState(false);
  const [invitation, setInvitation] = useState<Invitation>();
  const query = useRecords(['users'], (client) => client.users.find());
  const invite = ({ name }: UserRecord, secret: string) => setInvitation({ name, secret });
  return (
    <Section
      title="Users"
      about={`Who may use this daemon.${mayChange ? '' : ' Only owners can change that.'}`}
      actions={
        mayChange && (
          <Button icon="add" onClick={() => setAdding(true)}>
            Add a user
          </Button>
        )
      }
    >
      <Answered query={query}>
        {(users) => (
          <Rows label="Users">
            {users.map((user) => (
              <User key={user.user_id} user={user} mayChange={mayChange} onLink={invite} />
            ))}
          </Rows>
        )}
      </Answered>
      <AddUser open={isAdding} onClose={() => setAdding(false)} />
      <Dialog
        title="One-time link"
        open={invitation !== undefined}
        onClose={() => setInvitation(undefined)}
      >
        {invitation && <LinkOnce {...invitation} />}
      </Dialog>
    </Section>
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
