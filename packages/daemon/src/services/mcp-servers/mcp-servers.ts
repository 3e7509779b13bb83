import { BatonError } from '@baton/protocol';
import { mcpServersWire } from '@baton/protocol/wire';
import type { McpServerRow } from '@baton/store';
import { userIdOf } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { masked, openConfig, sealConfig, unmasked } from '../../security/mcp-config.ts';
import { method, type ServiceOf } from '../../service/definition.ts';

/** The MCP servers that every task gets. */
export function mcpServers({ store, box }: DaemonContext): ServiceOf<'mcp-servers'> {
  const { mcpServers: table } = store.records;
  const existing = async (id: string): Promise<McpServerRow> => {
    const row = await table.get(id);
    if (row) return row;
    throw new BatonError('not_found', `MCP server "${id}" not found.`);
  };
  const serverRecord = (row: McpServerRow) => ({
    server_id: row.server_id,
    name: row.name,
    config: masked(openConfig(row, box)),
    enabled: row.enabled === 1,
    created_by: row.created_by,
    created_at: moment(row.created_at),
  });
  return {
    path: 'mcp-servers',
    about:
      'MCP servers available to every task. Values of variables and headers are never returned.',
    methods: {
      find: method(mcpServersWire.find, {
        about: 'Lists all MCP servers.',
        allow: ['viewer'],
        act: async () => (await table.find()).map(serverRecord),
      }),
      get: method(mcpServersWire.get, {
        about: 'Returns one MCP server.',
        allow: ['viewer'],
        act: async ({ id }) => serverRecord(await existing(id)),
      }),
      create: method(mcpServersWire.create, {
        about: 'Adds an MCP server: a command to start or a URL to connect to.',
        allow: ['owner'],
        async act({ data: { name, config, enabled }, principal }) {
          if (await table.get(name)) {
            throw new BatonError('conflict', `An MCP server named "${name}" already exists.`, {
              hint: 'Choose another name.',
            });
          }
          const row = await table.insert({
            server_id: name,
            name,
            sealed: sealConfig(config, name, box),
            enabled: Number(enabled),
            created_by: userIdOf(principal) ?? null,
            created_at: store.now(),
          });
          return serverRecord(row);
        },
      }),
      patch: method(mcpServersWire.patch, {
        about: 'Updates an MCP server. A value of "***" keeps the stored value.',
        allow: ['owner'],
        async act({ id, data: { config, enabled } }) {
          const row = await existing(id);
          const next = config && unmasked(config, openConfig(row, box));
          return serverRecord(
            await table.put({
              ...row,
              ...(next ? { sealed: sealConfig(next, id, box) } : {}),
              ...(enabled === undefined ? {} : { enabled: Number(enabled) }),
            }),
          );
        },
      }),
      remove: method(mcpServersWire.remove, {
        about: 'Deletes an MCP server.',
        allow: ['owner'],
        async act({ id }) {
          await existing(id);
          await table.remove({ server_id: id });
          return { server_id: id };
        },
      }),
    },
  };
}
