import type { AgentMcpFile } from '@baton/client';
import { useState } from 'react';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { makeStale, useRecords } from '../../data/queries.ts';
import { QueryResult } from '../../data/query-result.tsx';
import { Button } from '../../design/button.tsx';
import { Empty } from '../../design/empty.tsx';
import { CheckField, SelectField } from '../../design/field.tsx';
import { Section } from '../../design/page-frame.tsx';
import { Rows } from '../../design/rows.tsx';
import { AgentServer } from './agent-server.tsx';
import { NameField, readServer, ServerFieldset } from './server-dialog.tsx';

/** The servers in the agents' own configuration files; viewers have no access to the files of the machine. */
export function AgentFiles() {
  const mayRead = useMay('member');
  const mayChange = useMay('owner');
  const query = useRecords(['agentMcpServers'], (client) => client.agentMcpServers.find(), {
    enabled: mayRead,
    onReturn: true,
  });
  const [chosen, setChosen] = useState<string>();
  const [isAdding, setAdding] = useState(false);
  if (!mayRead) return null;
  const files = query.data ?? [];
  const file =
    files.find(({ backend }) => backend === chosen) ??
    files.find(({ servers }) => servers.length > 0) ??
    files[0];
  return (
    <Section
      title="Agent configuration"
      about={`Servers in an agent's own configuration file on the daemon's machine. The agent also uses them outside of Baton.${mayChange ? '' : ' Only owners can change them.'}`}
      actions={
        mayChange &&
        file &&
        file.problem === null && (
          <Button icon="add" onClick={() => setAdding(true)}>
            Add to {file.label}
          </Button>
        )
      }
    >
      <QueryResult query={query}>
        {() =>
          file && (
            <>
              <SelectField
                label="Agent"
                value={file.backend}
                options={files.map(({ backend, label, servers }) => ({
                  value: backend,
                  label: servers.length > 0 ? `${label} (${servers.length})` : label,
                }))}
                hint={file.path}
                onChange={({ target }) => setChosen(target.value)}
              />
              <FileRows file={file} files={files} />
            </>
          )
        }
      </QueryResult>
      {file && <AddDialog file={file} open={isAdding} onClose={() => setAdding(false)} />}
    </Section>
  );
}

type FileProps = { file: AgentMcpFile; files: readonly AgentMcpFile[] };

function FileRows({ file, files }: FileProps) {
  const { client } = useDaemon();
  const { backend, label, servers, problem } = file;
  const [removed, setRemoved] = useState<string>();
  const [copied, setCopied] = useState<string>();
  if (problem !== null) {
    return (
      <Empty icon="warning" title={`The configuration of ${label} cannot be read`}>
        {problem}
      </Empty>
    );
  }
  const remove = async () => {
    await client.agentMcpServers.removeServer({ backend, name: removed ?? '' });
    makeStale('agentMcpServers');
  };
  return (
    <>
      <Rows
        label={`Servers of ${label}`}
        empty={<Empty icon="plug" title={`${label} has no servers of its own`} />}
      >
        {servers.map((server) => (
          <AgentServer
            key={`${backend} ${server.name}`}
            backend={backend}
            server={server}
            onCopy={() => setCopied(server.name)}
            onRemove={() => setRemoved(server.name)}
          />
        ))}
      </Rows>
      <FormDialog
        title={`Remove the server from ${label}?`}
        verb="Remove"
        danger
        open={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        onSubmit={remove}
      >
        <p>
          <strong>{removed}</strong> is removed from the agent's own configuration file. A copy of
          the file is kept beside it.
        </p>
      </FormDialog>
      <CopyDialog {...{ file, files }} name={copied} onClose={() => setCopied(undefined)} />
    </>
  );
}

function CopyDialog({
  file,
  files,
  name,
  onClose,
}: FileProps & { name: string | undefined; onClose: () => void }) {
  const { client } = useDaemon();
  // Agents that share a file need no copy.
  const others = files.filter(({ path, problem }) => path !== file.path && problem === null);
  const copy = async (form: FormData) => {
    const { copied } = await client.agentMcpServers.copy({
      backend: file.backend,
      to: String(form.get('to')),
      names: [name ?? ''],
      replace: form.get('replace') === 'on',
    });
    makeStale('agentMcpServers');
    const notes = copied.flatMap((each) => each.notes);
    return notes.length > 0 && <p>{notes.join(' ')}</p>;
  };
  return (
    <FormDialog
      title={`Copy ${name ?? ''}`}
      verb="Copy"
      open={name !== undefined}
      onClose={onClose}
      onSubmit={copy}
    >
      <SelectField
        label="To"
        name="to"
        options={others.map(({ backend, label }) => ({ value: backend, label }))}
      />
      <CheckField label="Replace a server with the same name" name="replace" />
    </FormDialog>
  );
}

function AddDialog({
  file: { backend, label, servers },
  open,
  onClose,
}: {
  file: AgentMcpFile;
  open: boolean;
  onClose: () => void;
}) {
  const { client } = useDaemon();
  const add = async (form: FormData) => {
    await client.agentMcpServers.create({ backend, ...readServer(form) });
    makeStale('agentMcpServers');
  };
  return (
    <FormDialog
      title={`Add a server to ${label}`}
      verb="Add"
      open={open}
      onClose={onClose}
      onSubmit={add}
    >
      <NameField taken={servers.map(({ name }) => name)} />
      <ServerFieldset />
    </FormDialog>
  );
}
