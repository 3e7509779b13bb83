import { z } from 'zod';
import type { Closed } from '../closed.ts';
import { configSchema, nameSchema } from './mcp-servers.ts';
import type { ServiceWire } from './service.ts';

const backendSchema = z.string().min(1).max(64);

/** A server in the configuration file of an agent; secrets are returned as `***`. */
const agentMcpServerSchema = z.looseObject({
  name: z.string(),
  /** Null for a server that Baton does not understand. */
  kind: z.enum(['stdio', 'http', 'sse']).nullable(),
  config: z.record(z.string(), z.unknown()),
  enabled: z.boolean(),
});
export type AgentMcpServer = Closed<z.output<typeof agentMcpServerSchema>>;

/** The configuration file of an agent, on the daemon's machine. */
const agentMcpFileSchema = z.looseObject({
  backend: z.string(),
  label: z.string(),
  path: z.string().nullable(),
  servers: z.array(agentMcpServerSchema),
  /** The reason why the file cannot be read. */
  problem: z.string().nullable(),
});
export type AgentMcpFile = Closed<z.output<typeof agentMcpFileSchema>>;

const newAgentMcpServerSchema = z.strictObject({
  backend: backendSchema,
  name: nameSchema,
  config: configSchema,
  replace: z.boolean().default(false),
});
export type NewAgentMcpServer = z.input<typeof newAgentMcpServerSchema>;

const serverOfAgentSchema = z.strictObject({ backend: backendSchema, name: z.string().max(256) });

const copySchema = z.strictObject({
  backend: backendSchema,
  to: backendSchema,
  names: z.array(z.string().max(256)).max(100).default([]),
  replace: z.boolean().default(false),
});

export const agentMcpServersWire = {
  find: { result: z.array(agentMcpFileSchema) },
  create: { data: newAgentMcpServerSchema, result: agentMcpFileSchema },
  removeServer: { data: serverOfAgentSchema, result: agentMcpFileSchema },
  copy: {
    data: copySchema,
    result: z.looseObject({
      copied: z.array(z.looseObject({ name: z.string(), notes: z.array(z.string()) })),
    }),
  },
  check: {
    data: serverOfAgentSchema,
    result: z.looseObject({
      protocol: z.string(),
      name: z.string().nullable(),
      version: z.string().nullable(),
      tools: z.array(z.looseObject({ name: z.string(), description: z.string().nullable() })),
    }),
  },
} as const satisfies ServiceWire;
