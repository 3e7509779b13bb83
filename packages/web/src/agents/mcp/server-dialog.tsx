import type { McpServerRecord } from '@baton/client';
import type { McpServer } from '@baton/protocol';
import { useState } from 'react';
import { useDaemon } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { makeStale, useRecords } from '../../data/queries.ts';
import { SelectField, TextArea, TextField } from '../../design/field.tsx';
import { configOf, fieldsOf, type ServerFields } from './server-config.ts';

const KINDS = [
  { value: 'stdio', label: 'A command that is started' },
  { value: 'http', label: 'An address (HTTP)' },
  { value: 'sse', label: 'An address (SSE)' },
];
const LINES_HINT = 'One in each line.';
const KEPT_HINT = `${LINES_HINT} *** stands for what is kept already.`;

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
      {!server && <NameField />}
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
            hint={LINES_HINT}
            defaultValue={before.args}
          />
          <TextArea
            label="Environment variables"
            name="env"
            rows={3}
            spellCheck={false}
            placeholder="NAME=value"
            hint={server ? KEPT_HINT : LINES_HINT}
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
            hint={server ? KEPT_HINT : LINES_HINT}
            defaultValue={before.headers}
          />
        </>
      )}
    </>
  );
}

/** Names a new server, as agents can name its tools. */
function NameField() {
  const { data: servers = [] } = useRecords(['mcpServers'], (client) => client.mcpServers.find());
  const [name, setName] = useState('');
  const isTaken = servers.some((each) => each.name === name);
  return (
    <TextField
      label="Name"
      name="name"
      required
      maxLength={64}
      pattern="[A-Za-z0-9_\-]+"
      title="Letters, digits, - and _ only."
      autoComplete="off"
      value={name}
      onChange={({ target }) => setName(target.value)}
      unfit={isTaken ? 'There is a server of this name already.' : undefined}
    />
  );
}
