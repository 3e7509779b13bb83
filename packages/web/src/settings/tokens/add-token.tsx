import type { Role } from '@baton/client';
import { useDaemon } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { makeStale } from '../../data/queries.ts';
import { SelectField, TextField } from '../../design/field.tsx';
import { OneTimeSecret } from '../users/one-time-secret.tsx';
import { ROLES_IN_WORDS } from '../users/role-options.ts';

const LIVES = [
  { value: '7', label: 'A week' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: '', label: 'No expiration' },
];

/** Makes a token that allows no more than the person may do. */
export function AddToken({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { client, me } = useDaemon();
  const most = ROLES_IN_WORDS.findIndex(({ value }) => value === me.role);
  const add = async (fields: FormData) => {
    const days = String(fields.get('life'));
    const { secret } = await client.tokens.create({
      name: String(fields.get('name')),
      role: fields.get('role') as Role,
      ...(days === '' ? {} : { life_days: Number(days) }),
    });
    makeStale('tokens');
    return (
      <OneTimeSecret secret={secret} label="Copy token">
        Copy it now. You won’t be able to see it again.
      </OneTimeSecret>
    );
  };
  return (
    <FormDialog title="New token" open={open} onClose={onClose} verb="Create token" onSubmit={add}>
      <TextField
        label="Name"
        name="name"
        required
        maxLength={100}
        dir="auto"
        autoComplete="off"
        hint="What’s this token for?"
      />
      <SelectField
        label="Role"
        name="role"
        defaultValue={me.role === 'viewer' ? 'viewer' : 'member'}
        options={ROLES_IN_WORDS.slice(0, most + 1)}
      />
      <SelectField label="Expires in" name="life" defaultValue="90" options={LIVES} />
    </FormDialog>
  );
}
