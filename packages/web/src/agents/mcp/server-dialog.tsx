import type { McpServerRecord } from '@baton/client';
import type { McpServer } from '@baton/protocol';
import { useState } from 'react';
import { useDaemon } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { makeStale } from '../../data/queries.ts';
import { SelectField, TextArea, TextField } from '../../design/field.tsx';
import { configOf, fieldsOf, type ServerFields } from './server-config.ts';

const KINDS = [
  { value: 'stdio', label: 'A command that is started' },
  { value: 'http', label: 'An address (HTTP)' },
  { value: 'sse', label: 'An address (SSE)' },
];
const PAIRS_HINT = 'One in each line. *** stands for what is kept already.';

type Props = { edited: McpServerRecord | 'new' | undefined; onClose: () => void };

/** Adds an MCP server, or changes one. */
export function ServerDialog({ edited, onClose }: Props) {
  const { client } = useDaemon();
  const server = edited === 'new' ? undefined : edited;
  const save = async (form: FormData) => {
    const told = Object.fromEntries([...form].map(([name, value]) => [name, String(value)]));
    const fields = { ...fieldsOf(), ...told } as ServerFields;
    const config = configOf(fields, server?.config) as McpServer;
    if (server) await client.mcpServers.patch(server.name, { config });
    else await client.mcpServers.create({ name: told.name ?? '', config });
    makeStale('mcpServers');
  };
  return (
    <FormDialog
      title={server ? `Edit ${server.name}` : 'Add an MCP server'}
      open={edited !== undefined}
      onClose={onClose}
      verb={server ? 'Save' : 'Add'}
      onSubmit={save}
    >
      <Fields server={server} />
    </FormDialog>
  );
}

function Fields({ server }: { server: McpServerRecord | undefined }) {
  const before = fieldsOf(server?.config);
  const [kind, setKind] = useState<string>(before.kind);
  return (
    <>
      {!server && (
        <TextField label="Name" name="name" required maxLength={100} autoComplete="off" />
      )}
      <SelectField
        label="Kind"
        name="kind"
        value={kind}
        options={KINDS}
        onChange={(event) => setKind(event.target.value)}
      />
      {kind === 'stdio' ? (
        <>
          <TextField
            label="Command"
            name="command"
            required
            placeholder="npx"
            defaultValue={before.command}
            hint={server && 'With another command or arguments, give the secrets anew.'}
          />
          <TextArea
            label="Arguments"
            name="args"
            rows={3}
            spellCheck={false}
            hint="One in each line."
            defaultValue={before.args}
          />
          <TextArea
            label="Environment variables"
            name="env"
            rows={3}
            spellCheck={false}
            placeholder="NAME=value"
            hint={PAIRS_HINT}
            defaultValue={before.env}
          />
        </>
      ) : (
        <>
          <TextField
            label="Address"
            name="url"
            type="url"
            required
            placeholder="https://"
            defaultValue={before.url}
            hint={server && 'With another address, give the secrets anew.'}
          />
          <TextArea
            label="Headers"
            name="headers"
            rows={3}
            spellCheck={false}
            placeholder="Authorization=Bearer ..."
            hint={PAIRS_HINT}
            defaultValue={before.headers}
          />
        </>
      )}
    </>
  );
}
