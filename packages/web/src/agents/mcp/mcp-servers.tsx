import type { McpServerRecord } from '@baton/client';
import { useState } from 'react';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { makeStale, useRecords } from '../../data/queries.ts';
import { RecordList } from '../../data/record-list.tsx';
import { Empty } from '../../design/empty.tsx';
import { AgentFiles } from './agent-files.tsx';
import { Server } from './server.tsx';
import { ServerDialog } from './server-dialog.tsx';

/** The MCP servers that every task gets. */
export function McpServers() {
  const { client } = useDaemon();
  const mayChange = useMay('owner');
  const [edited, setEdited] = useState<McpServerRecord>();
  const query = useRecords(['mcpServers'], (each) => each.mcpServers.find());
  const remove = async ({ name }: McpServerRecord) => {
    await client.mcpServers.remove(name);
    makeStale('mcpServers');
  };
  return (
    <>
      <RecordList
        title="MCP servers"
        about={`Tools available to every task, for all agents.${mayChange ? '' : ' Only owners can change them.'}`}
        query={query}
        add={mayChange && { label: 'Add a server', dialog: ServerDialog }}
        remove={{
          title: 'Remove the server?',
          verb: 'Remove',
          act: remove,
          about: ({ name }) => (
            <>
              New tasks will start without <strong>{name}</strong>.
            </>
          ),
        }}
        empty={
          <Empty icon="plug" title="No MCP servers yet">
            Agents still use servers from their own config.
          </Empty>
        }
      >
        {(server, onRemove) => (
          <Server
            key={server.server_id}
            server={server}
            onEdit={() => setEdited(server)}
            onRemove={onRemove}
          />
        )}
      </RecordList>
      <ServerDialog
        server={edited}
        open={edited !== undefined}
        onClose={() => setEdited(undefined)}
      />
      <AgentFiles />
    </>
  );
}
