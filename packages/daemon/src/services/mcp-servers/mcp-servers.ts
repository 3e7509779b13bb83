import { BatonError, mcpServerSchema } from '@baton/protocol';
import type { McpServerRow } from '@baton/store';
import { z } from 'zod';
import { userIdOf } from '../../access/principal.ts';
import type { DaemonContext } from '../../context.ts';
import { moment } from '../../records/record-of.ts';
import { method, type ServiceDefinition } from '../../service/definition.ts';
import { masked, openConfig, sealConfig, unmasked } from './mcp-config.ts';

const nameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "-" or "_"');
const configSchema = z.union(mcpServerSchema.options, {
  error: 'must have a command to start, or a url to connect to, and texts in env or headers',
});

const serverRecordSchema = z.looseObject({
  server_id: z.string(),
  name: z.string(),
  config: z.record(z.string(), z.unknown()),
  enabled: z.boolean(),
  created_by: z.string().nullable(),
  created_at: z.iso.datetime(),
});

/** The MCP servers that every task gets. */
export function mcpServers({ store, box }: DaemonContext): ServiceDefinition {
  const { mcpServers: table } = store.records;
  const existing = async (id: string): Promise<McpServerRow> => {
    const row = await table.get(id);
    if (row) return row;
    throw new BatonError('not_found', `There is no MCP server "${id}".`);
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
    about: 'The MCP servers that every task gets. Values of variables and headers are never shown.',
    methods: {
      find: method({
        about: 'Lists all MCP servers.',
        allow: ['viewer'],
        result: z.array(serverRecordSchema),
        act: async () => (await table.find()).map(serverRecord),
      }),
      get: method({
        about: 'Gives one MCP server.',
        allow: ['viewer'],
        result: serverRecordSchema,
        act: async ({ id }) => serverRecord(await existing(id)),
      }),
      create: method({
        about: 'Adds an MCP server: a command to start, or an address to connect to.',
        allow: ['owner'],
        data: z.strictObject({
          name: nameSchema,
          config: configSchema,
          enabled: z.boolean().default(true),
        }),
        result: serverRecordSchema,
        async act({ data: { name, config, enabled }, principal }) {
          if (await table.get(name)) {
            throw new BatonError('conflict', `There is an MCP server "${name}" already.`, {
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
      patch: method({
        about: 'Changes an MCP server; a value of "***" stays what it was.',
        allow: ['owner'],
        data: z.strictObject({
          config: configSchema.optional(),
          enabled: z.boolean().optional(),
        }),
        result: serverRecordSchema,
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
      remove: method({
        about: 'Removes an MCP server.',
        allow: ['owner'],
        result: z.object({ server_id: z.string() }),
        async act({ id }) {
          await existing(id);
          await table.remove({ server_id: id });
          return { server_id: id };
        },
      }),
    },
  };
}
