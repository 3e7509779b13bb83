import type { Capabilities, McpServer, RunRequest } from '@baton/protocol';

/** Adds the MCP servers that every task gets to a run; a server of the run with the same name takes precedence. */
export function addMcpServers(
  request: RunRequest,
  servers: Readonly<Record<string, McpServer>>,
  { features }: Pick<Capabilities, 'features'>,
): RunRequest {
  const own = request.mcpConfig;
  // The path of a file names all servers that a run is to have.
  if (typeof own === 'string' || !features.mcp || Object.keys(servers).length === 0) return request;
  return { ...request, mcpConfig: { mcpServers: { ...servers, ...own?.mcpServers } } };
}
