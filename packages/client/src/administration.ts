import type { FolderTrust, Probe } from '@baton/protocol';
import type {
  ApiKeyRecord,
  AttachmentRecord,
  BackendRecord,
  DaemonRecord,
  FileQuery,
  FolderDecision,
  FolderRecord,
  FoundFiles,
  McpServerPatch,
  McpServerRecord,
  NewApiKey,
  NewAttachment,
  NewMcpServer,
  SettingRecord,
  UsageQuery,
  UsageRecord,
} from './administration-records.ts';

/** Calls a method of a service. */
export type Call = <Result>(service: string, method: string, ...args: unknown[]) => Promise<Result>;

/** The services around sessions: what agents need, what they cost, and how the daemon is set. */
export function administration(call: Call) {
  return {
    apiKeys: {
      /** Lists the own keys and those that everybody shares, without their values. */
      find: () => call<ApiKeyRecord[]>('api-keys', 'find', {}),
      /** Keeps a key in place of the one with the same name. */
      create: (key: NewApiKey) => call<ApiKeyRecord>('api-keys', 'create', key),
      /** Removes a key. */
      remove: (id: string) => call<{ key_id: string }>('api-keys', 'remove', id),
    },
    settings: {
      /** Lists all settings with their values and defaults. */
      find: () => call<SettingRecord[]>('settings', 'find', {}),
      /** Gives one setting. */
      get: (name: string) => call<SettingRecord>('settings', 'get', name),
      /** Changes a setting; owners only. */
      patch: (name: string, value: unknown) =>
        call<SettingRecord>('settings', 'patch', name, { value }),
    },
    mcpServers: {
      /** Lists the MCP servers that every task gets. */
      find: () => call<McpServerRecord[]>('mcp-servers', 'find', {}),
      /** Gives one MCP server. */
      get: (name: string) => call<McpServerRecord>('mcp-servers', 'get', name),
      /** Adds an MCP server; owners only. */
      create: (server: NewMcpServer) => call<McpServerRecord>('mcp-servers', 'create', server),
      /** A value of `***` stays what it was. */
      patch: (name: string, changes: McpServerPatch) =>
        call<McpServerRecord>('mcp-servers', 'patch', name, changes),
      /** Removes an MCP server; owners only. */
      remove: (name: string) => call<{ server_id: string }>('mcp-servers', 'remove', name),
    },
    attachments: {
      /** Lists the attachments of a session, without what is in them. */
      find: (query: { session_id: string }) =>
        call<AttachmentRecord[]>('attachments', 'find', query),
      /** Gives one attachment, with what is in it as base64. */
      get: (id: string) => call<AttachmentRecord & { data: string }>('attachments', 'get', id),
      /** Keeps a file for the prompts of a session. */
      create: (attachment: NewAttachment) =>
        call<AttachmentRecord>('attachments', 'create', attachment),
      /** Removes an attachment; a prompt that still names it will fail. */
      remove: (id: string) => call<{ attachment_id: string }>('attachments', 'remove', id),
    },
    usage: {
      /** Sums up what tasks consumed. */
      find: (query: UsageQuery = {}) => call<UsageRecord[]>('usage', 'find', query),
    },
    backends: {
      /** Lists all agents, installed or not, with what they can do. */
      find: () => call<BackendRecord[]>('backends', 'find', {}),
      /** Gives one agent, by its id or another name of it; with a folder as a task there finds it right now. */
      get: (name: string, query: { cwd?: string } = {}) =>
        call<BackendRecord>('backends', 'get', name, query),
      /** Sets the options that tasks get which do not say otherwise; null removes them. Owners only. */
      patch: (name: string, changes: { options: Record<string, unknown> | null }) =>
        call<BackendRecord>('backends', 'patch', name, changes),
      /** Looks at an agent anew, and tells what would keep it from working. */
      test: (name: string) => call<Probe>('backends', 'test', { backend_id: name }),
    },
    files: {
      /** Finds files in the folder of a session, or in any folder, by some letters of their paths. */
      find: (query: FileQuery) => call<FoundFiles>('files', 'find', query),
    },
    trustedFolders: {
      /** Lists which folders agents may use the settings of, as was decided on the daemon's machine. */
      find: () => call<FolderDecision[]>('trusted-folders', 'find', {}),
      /** Tells whether an agent may use the settings of a folder, and which ones there are. */
      check: (question: { folder: string; backend: string }) =>
        call<FolderTrust>('trusted-folders', 'check', question),
      /** Decides about a folder. */
      create: (decision: FolderDecision) =>
        call<FolderDecision>('trusted-folders', 'create', decision),
      /** Forgets a decision. */
      forget: (folder: { folder: string }) =>
        call<{ folder: string }>('trusted-folders', 'forget', folder),
    },
    folders: {
      /** Lists the folders in a folder; without a path those in the home folder of the daemon's user. */
      find: (query: { path?: string | undefined } = {}) =>
        call<FolderRecord>('folders', 'find', query),
      /** Makes a folder, unless it is there already. */
      create: (folder: { path: string }) => call<{ path: string }>('folders', 'create', folder),
    },
    daemons: {
      /** Lists the servers that share the database. */
      find: () => call<DaemonRecord[]>('daemons', 'find', {}),
    },
  };
}
