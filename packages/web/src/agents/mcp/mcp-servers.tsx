import type { McpServerRecord } from '@baton/client';
import { useState } from 'react';
import { Answered } from '../../data/answered.tsx';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { FormDialog } from '../../data/form-dialog.tsx';
import { makeStale, useRecords } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';
import { Empty } from '../../design/empty.tsx';
import { Section } from '../../design/page-frame.tsx';
import { Rows } from '../../design/rows.tsx';
import { Server } from './server.tsx';
import { ServerDialog } from './server-dialog.tsx';

/** The MCP servers that every task gets. */
export function McpServers() {
  const { client } = useDaemon();
  const mayChange = useMay('owner');
  const [edited, setEdited] = useState<McpServerRecord | 'new'>();
  const [removed, setRemoved] = useState<McpServerRecord>();
  const query = useRecords(['mcpServers'], (each) => each.mcpServers.find());
  const remove = async () => {
    if (removed) await client.mcpServers.remove(removed.name);
    makeStale('mcpServers');
  };
  return (
    <Section
      title="MCP servers"
      about={`Tools that every task gets, whatever its agent.${mayChange ? '' : ' Only owners can change them.'}`}
      actions={
        mayChange && (
          <Button icon="add" onClick={() => setEdited('new')}>
            Add a server
          </Button>
        )
      }
    >
      <Answered query={query}>
        {(servers) => (
          <Rows
            label="MCP servers"
            empty={
              <Empty icon="plug" title="No MCP server yet">
                Agents still have those of their own settings.
              </Empty>
            }
          >
            {servers.map((server) => (
              <Server
                key={server.server_id}
                server={server}
                onEdit={() => setEdited(server)}
                onRemove={() => setRemoved(server)}
              />
            ))}
          </Rows>
        )}
      </Answered>
      <ServerDialog edited={edited} onClose={() => setEdited(undefined)} />
      <FormDialog
        title="Remove the server?"
        open={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        verb="Remove"
        danger
        onSubmit={remove}
      >
        <p>
          New tasks do not get <strong>{removed?.name}</strong> any more.
        </p>
      </FormDialog>
    </Section>
  );
}
