import type { Capabilities, McpServer, RunRequest } from '@baton/protocol';

/** Gives a run the MCP servers that every task gets, beside its own; one of its own with the same name counts. */
export function withMcpServers(
  request: RunRequest,
  servers: Readonly<Record<string, McpServer>>,
  { features }: Pick<Capabilities, 'features'>,
): RunRequest {
  const own = request.mcpConfig;
  // The path of a file names all servers that a run is to have.
  if (typeof own === 'string' || !features.mcp || Object.keys(servers).length === 0) return request;
  return { ...request, mcpConfig: { mcpServers: { ...servers, ...own?.mcpServers } } };
}
