import { useId } from 'react';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { makeStale, useRecords } from '../../data/queries.ts';
import { CheckField, TextField } from '../../design/field.tsx';
import { usualKeys } from './usual-keys.ts';

/** Keeps a key in place of the one with the same name. */
export function AddKey({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { client } = useDaemon();
  const mayShare = useMay('owner');
  const names = useId();
  const { data: backends = [] } = useRecords(['backends'], (each) => each.backends.find());
  const add = async (fields: FormData) => {
    await client.apiKeys.create({
      name: String(fields.get('name')).trim(),
      value: String(fields.get('value')),
      shared: fields.get('shared') !== null,
    });
    makeStale('apiKeys', 'backends');
  };
  return (
    <FormDialog title="Add a key" open={open} onClose={onClose} verb="Keep it" onSubmit={add}>
      <TextField
        label="Name"
        name="name"
        list={names}
        required
        maxLength={100}
        pattern="[A-Z][A-Z0-9_]*"
        title="The name of a variable, in capitals"
        placeholder={usualKeys(backends)[0]}
        hint="The variable that the agent looks for. A key with the same name is replaced."
        autoComplete="off"
        spellCheck={false}
      />
      <datalist id={names}>
        {usualKeys(backends).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <TextField
        label="Value"
        name="value"
        type="password"
        required
        autoComplete="off"
        hint="Kept encrypted, and never shown again."
      />
      {mayShare && (
        <CheckField
          name="shared"
          label="Share it"
          hint="Then it is for the agents of everybody, not only for yours."
        />
      )}
    </FormDialog>
  );
}
