import type {
  DataOf,
  FileQuery,
  FolderDecision,
  McpServerPatch,
  NewAgentMcpServer,
  NewApiKey,
  NewAttachment,
  NewMcpServer,
  QueryOf,
  UsageQuery,
} from '@baton/protocol/wire';
import type { Call } from './call.ts';

/** The services around sessions: what agents need, what they cost, and how the daemon is set. */
export function administration(call: Call) {
  return {
    apiKeys: {
      /** Lists the user's own keys and the shared ones, without their values. */
      find: () => call('api-keys', 'find', {}),
      /** Keeps a key in place of the one with the same name. */
      create: (key: NewApiKey) => call('api-keys', 'create', key),
      /** Removes a key. */
      remove: (id: string) => call('api-keys', 'remove', id),
    },
    settings: {
      /** Lists all settings with their values and defaults. */
      find: () => call('settings', 'find', {}),
      /** Gives one setting. */
      get: (name: string) => call('settings', 'get', name),
      /** Changes a setting; owners only. */
      patch: (name: string, value: unknown) => call('settings', 'patch', name, { value }),
    },
    mcpServers: {
      /** Lists the MCP servers that every task gets. */
      find: () => call('mcp-servers', 'find', {}),
      /** Gives one MCP server. */
      get: (name: string) => call('mcp-servers', 'get', name),
      /** Adds an MCP server; owners only. */
      create: (server: NewMcpServer) => call('mcp-servers', 'create', server),
      /** A value of `***` stays what it was. */
      patch: (name: string, changes: McpServerPatch) => call('mcp-servers', 'patch', name, changes),
      /** Removes an MCP server; owners only. */
      remove: (name: string) => call('mcp-servers', 'remove', name),
    },
    agentMcpServers: {
      /** Lists the MCP servers in the agents' own configuration files on the daemon's machine. */
      find: () => call('agent-mcp-servers', 'find', {}),
      /** Adds a server to the file of an agent; owners only. */
      create: (server: NewAgentMcpServer) => call('agent-mcp-servers', 'create', server),
      /** Removes a server from the file of an agent; owners only. */
      removeServer: (server: DataOf<'agent-mcp-servers', 'removeServer'>) =>
        call('agent-mcp-servers', 'removeServer', server),
      /** Copies servers from the file of one agent to that of another one; owners only. */
      copy: (servers: DataOf<'agent-mcp-servers', 'copy'>) =>
        call('agent-mcp-servers', 'copy', servers),
      /** Connects to a server and lists its tools. */
      check: (server: DataOf<'agent-mcp-servers', 'check'>) =>
        call('agent-mcp-servers', 'check', server),
    },
    attachments: {
      /** Lists the attachments of a session, without what is in them. */
      find: (query: QueryOf<'attachments', 'find'>) => call('attachments', 'find', query),
      /** Gives one attachment, with what is in it as base64. */
      get: (id: string) => call('attachments', 'get', id),
      /** Keeps a file for the prompts of a session. */
      create: (attachment: NewAttachment) => call('attachments', 'create', attachment),
      /** Removes an attachment; a prompt that still names it will fail. */
      remove: (id: string) => call('attachments', 'remove', id),
    },
    usage: {
      /** Sums up what tasks consumed. */
      find: (query: UsageQuery = {}) => call('usage', 'find', query),
    },
    backends: {
      /** Lists all agents, installed or not, with what they can do. */
      find: () => call('backends', 'find', {}),
      /** Gives one agent, by its id or another name of it; with a folder as a task there finds it right now. */
      get: (name: string, query: QueryOf<'backends', 'get'> = {}) =>
        call('backends', 'get', name, query),
      /** Sets the options that tasks get which do not say otherwise; null removes them. Owners only. */
      patch: (name: string, changes: DataOf<'backends', 'patch'>) =>
        call('backends', 'patch', name, changes),
      /** Looks at an agent anew, and tells what would keep it from working. */
      test: (name: string) => call('backends', 'test', { backend_id: name }),
    },
    files: {
      /** Finds files in the folder of a session, or in any folder, by some letters of their paths. */
      find: (query: FileQuery) => call('files', 'find', query),
    },
    trustedFolders: {
      /** Lists which folders agents may use the settings of, as was decided on the daemon's machine. */
      find: () => call('trusted-folders', 'find', {}),
      /** Tells whether an agent may use the settings of a folder, and which ones there are. */
      check: (question: DataOf<'trusted-folders', 'check'>) =>
        call('trusted-folders', 'check', question),
      /** Decides about a folder. */
      create: (decision: FolderDecision) => call('trusted-folders', 'create', decision),
      /** Forgets a decision. */
      forget: (folder: DataOf<'trusted-folders', 'forget'>) =>
        call('trusted-folders', 'forget', folder),
    },
    folders: {
      /** Lists the folders in a folder; without a path those in the home folder of the daemon's user. */
      find: (query: QueryOf<'folders', 'find'> = {}) => call('folders', 'find', query),
      /** Makes a folder, unless it is there already. */
      create: (folder: DataOf<'folders', 'create'>) => call('folders', 'create', folder),
    },
    daemons: {
      /** Lists the servers that share the database. */
      find: () => call('daemons', 'find', {}),
    },
  };
}
