import type { McpServerRecord } from '@baton/client';
import type { McpServer } from '@baton/protocol';
import { useState } from 'react';
import { useDaemon } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { makeStale, useRecords } from '../../data/queries.ts';
import { SelectField, TextArea, TextField } from '../../design/field.tsx';
import { configOf, fieldsOf, type ServerFields } from './server-config.ts';

const KINDS = [
  { value: 'stdio', label: 'Command (stdio)' },
  { value: 'http', label: 'URL (streamable HTTP)' },
  { value: 'sse', label: 'URL (SSE)' },
];
const LINES_HINT = 'One per line.';
const KEPT_HINT = `${LINES_HINT} *** keeps the saved value.`;

type Props = { open: boolean; onClose: () => void; server?: McpServerRecord | undefined };

/** Adds an MCP server, or changes one. */
export function ServerDialog({ open, onClose, server }: Props) {
  const { client } = useDaemon();
  const { data: servers = [] } = useRecords(['mcpServers'], (each) => each.mcpServers.find());
  const save = async (form: FormData) => {
    const { name, config } = readServer(form, server?.config);
    if (server) await client.mcpServers.patch(server.name, { config });
    else await client.mcpServers.create({ name, config });
    makeStale('mcpServers');
  };
  return (
    <FormDialog
      title={server ? `Edit ${server.name}` : 'Add an MCP server'}
      open={open}
      onClose={onClose}
      verb={server ? 'Save' : 'Add'}
      onSubmit={save}
    >
      {!server && <NameField taken={servers.map(({ name }) => name)} />}
      <ServerFieldset before={server?.config} />
    </FormDialog>
  );
}

/** The server that was filled in. */
export function readServer(form: FormData, before?: Readonly<Record<string, unknown>>) {
  const told = Object.fromEntries([...form].map(([name, value]) => [name, String(value)]));
  const fields = { ...fieldsOf(), ...told } as ServerFields;
  return { name: told.name ?? '', config: configOf(fields, before) as McpServer };
}

/** The fields of a server; those of one that is changed keep its secrets. */
export function ServerFieldset({
  before: saved,
}: {
  before?: McpServerRecord['config'] | undefined;
}) {
  const before = fieldsOf(saved);
  const [kind, setKind] = useState<string>(before.kind);
  return (
    <>
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
            hint={saved && 'Changing the command or arguments requires re-entering secrets.'}
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
            hint={saved ? KEPT_HINT : LINES_HINT}
            defaultValue={before.env}
          />
        </>
      ) : (
        <>
          <TextField
            label="URL"
            name="url"
            type="url"
            required
            placeholder="https://"
            defaultValue={before.url}
            hint={saved && 'Changing the URL requires re-entering secrets.'}
          />
          <TextArea
            label="Headers"
            name="headers"
            rows={3}
            spellCheck={false}
            placeholder="Authorization=Bearer ..."
            hint={saved ? KEPT_HINT : LINES_HINT}
            defaultValue={before.headers}
          />
        </>
      )}
    </>
  );
}

/** Names a new server, as agents can name its tools. */
export function NameField({ taken }: { taken: readonly string[] }) {
  const [name, setName] = useState('');
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
      unfit={taken.includes(name) ? 'A server with this name already exists.' : undefined}
    />
  );
}
