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
    <FormDialog title="Add folder rule" open={open} onClose={onClose} verb="Add" onSubmit={add}>
      <TextField
        label="Folder"
        name="folder"
        required
        placeholder="/home/me/project"
        hint="Absolute path. Applies to everyone’s sessions in this folder."
      />
      <TextField
        label="Tool"
        name="tool"
        required
        maxLength={300}
        placeholder="Bash"
        hint="The tool name as shown in permission requests."
      />
      <TextField
        label="Pattern"
        name="pattern"
        placeholder="npm test*"
        hint="Use * as a wildcard. Leave empty to match any use of the tool."
      />
      <SelectField label="Decision" name="decision" defaultValue="allow" options={DECISIONS} />
    </FormDialog>
  );
}
