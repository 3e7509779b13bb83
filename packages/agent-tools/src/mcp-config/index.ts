/** The MCP servers in the agents' own files; it loads parsers that nothing else needs, so import it when it is used. */

export { type CheckOptions, checkServer, type ServerReport } from './check-server.ts';
export type { EditedFile } from './edit-file.ts';
export {
  type AgentServers,
  addAgentServers,
  backendsWithMcpFile,
  type CopiedServer,
  copyAgentServers,
  findServer,
  type NewServer,
  readAgentServers,
  removeAgentServer,
} from './mcp-config.ts';
export { type ConfiguredServer, maskServer, type ServerKind } from './server-format.ts';
