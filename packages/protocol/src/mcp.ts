import { z } from 'zod';

/** An MCP server that is given to a run: a command to start, or an address to connect to. */
export const mcpServerSchema = z.union([
  z.looseObject({
    command: z.string(),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
  }),
  z.looseObject({
    url: z.string(),
    type: z.enum(['http', 'sse']).optional(),
    headers: z.record(z.string(), z.string()).optional(),
  }),
]);
export type McpServer = z.infer<typeof mcpServerSchema>;

/** The MCP servers of one run, by name, in the shape that `.mcp.json` files have. */
export const mcpConfigSchema = z.strictObject({
  mcpServers: z.record(z.string(), mcpServerSchema),
});
export type McpConfig = z.infer<typeof mcpConfigSchema>;
