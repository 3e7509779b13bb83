import { useId } from 'react';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { makeStale, useRecords } from '../../data/queries.ts';
import { CheckField, TextField } from '../../design/field.tsx';
import { usualKeys } from './usual-keys.ts';

/** Saves a key and replaces one with the same name. */
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
    <FormDialog title="Add a key" open={open} onClose={onClose} verb="Save key" onSubmit={add}>
      <TextField
        label="Name"
        name="name"
        list={names}
        required
        maxLength={100}
        pattern="[A-Z][A-Z0-9_]*"
        title="Environment variable name, in capitals"
        placeholder={usualKeys(backends)[0]}
        hint="Environment variable the agent reads. Replaces an existing key of the same name."
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
        hint="Stored encrypted and never shown again."
      />
      {mayShare && (
        <CheckField
          name="shared"
          label="Share with everyone"
          hint="Available to everyone’s tasks, not just yours."
        />
      )}
    </FormDialog>
  );
}
