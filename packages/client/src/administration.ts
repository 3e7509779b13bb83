import type {
  ApiKeyRecord,
  AttachmentRecord,
  BackendRecord,
  DaemonRecord,
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
      find: () => call<ApiKeyRecord[]>('api-keys', 'find', {}),
      /** Keeps a key in place of the one with the same name. */
      create: (key: NewApiKey) => call<ApiKeyRecord>('api-keys', 'create', key),
      remove: (id: string) => call<{ key_id: string }>('api-keys', 'remove', id),
    },
    settings: {
      find: () => call<SettingRecord[]>('settings', 'find', {}),
      get: (name: string) => call<SettingRecord>('settings', 'get', name),
      patch: (name: string, value: unknown) =>
        call<SettingRecord>('settings', 'patch', name, { value }),
    },
    mcpServers: {
      find: () => call<McpServerRecord[]>('mcp-servers', 'find', {}),
      get: (name: string) => call<McpServerRecord>('mcp-servers', 'get', name),
      create: (server: NewMcpServer) => call<McpServerRecord>('mcp-servers', 'create', server),
      /** A value of `***` stays what it was. */
      patch: (name: string, changes: McpServerPatch) =>
        call<McpServerRecord>('mcp-servers', 'patch', name, changes),
      remove: (name: string) => call<{ server_id: string }>('mcp-servers', 'remove', name),
    },
    attachments: {
      find: (query: { session_id: string }) =>
        call<AttachmentRecord[]>('attachments', 'find', query),
      get: (id: string) => call<AttachmentRecord & { data: string }>('attachments', 'get', id),
      create: (attachment: NewAttachment) =>
        call<AttachmentRecord>('attachments', 'create', attachment),
      remove: (id: string) => call<{ attachment_id: string }>('attachments', 'remove', id),
    },
    usage: {
      find: (query: UsageQuery = {}) => call<UsageRecord[]>('usage', 'find', query),
    },
    backends: {
      find: () => call<BackendRecord[]>('backends', 'find', {}),
      get: (name: string) => call<BackendRecord>('backends', 'get', name),
    },
    daemons: {
      find: () => call<DaemonRecord[]>('daemons', 'find', {}),
    },
  };
}
