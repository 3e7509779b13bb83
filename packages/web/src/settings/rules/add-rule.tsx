import { useDaemon } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { makeStale } from '../../data/queries.ts';
import { SelectField, TextField } from '../../design/field.tsx';

const DECISIONS = [
  { value: 'allow', label: 'Allow without asking' },
  { value: 'deny', label: 'Deny without asking' },
];

/** Adds a rule for all sessions in a folder. */
export function AddRule({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { client } = useDaemon();
  const add = async (fields: FormData) => {
    await client.rules.create({
      folder: String(fields.get('folder')),
      tool: String(fields.get('tool')),
      pattern: String(fields.get('pattern')) || null,
      decision: fields.get('decision') === 'deny' ? 'deny' : 'allow',
    });
    makeStale('rules', 'permissions');
  };
  return (
    <FormDialog title="Rule for a folder" open={open} onClose={onClose} verb="Add" onSubmit={add}>
      <TextField
        label="Folder"
        name="folder"
        required
        placeholder="/home/me/project"
        hint="The whole path. The rule is for everybody's sessions in it."
      />
      <TextField
        label="Tool"
        name="tool"
        required
        maxLength={300}
        placeholder="Bash"
        hint="As the agent calls it: look at a permission request in a session."
      />
      <TextField
        label="Pattern"
        name="pattern"
        placeholder="npm test*"
        hint="What it is for, with * for anything. Empty is every use of the tool."
      />
      <SelectField label="Decision" name="decision" defaultValue="allow" options={DECISIONS} />
    </FormDialog>
  );
}
