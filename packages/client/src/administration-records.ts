import type { Capabilities, McpServer, ModelInfo, Probe } from '@baton/protocol';

/** A key of a provider; its value is never shown. */
export type ApiKeyRecord = {
  key_id: string;
  name: string;
  shared: boolean;
  /** Whose it is; nobody's when it is shared. */
  user_id: string | null;
  created_at: string;
};
export type NewApiKey = { name: string; value: string; shared?: boolean | undefined };

/** A setting of the daemon. */
export type SettingRecord = {
  name: string;
  value: unknown;
  default: unknown;
  about: string;
  updated_at: string | null;
};

/** An MCP server that every task gets; secrets in it are shown as `***`. */
export type McpServerRecord = {
  server_id: string;
  name: string;
  config: Record<string, unknown>;
  enabled: boolean;
  created_by: string | null;
  created_at: string;
};
export type NewMcpServer = { name: string; config: McpServer; enabled?: boolean | undefined };
export type McpServerPatch = { config?: McpServer | undefined; enabled?: boolean | undefined };

/** A file that is given to an agent along with a prompt. */
export type AttachmentRecord = {
  attachment_id: string;
  session_id: string;
  name: string;
  media_type: string;
  bytes: number;
  created_by: string | null;
  created_at: string;
};
export type NewAttachment = {
  session_id: string;
  name: string;
  media_type: string;
  /** Base64. */
  data: string;
};

export type UsageQuery = {
  /** ISO 8601. */
  from?: string | undefined;
  to?: string | undefined;
  group_by?: 'day' | 'session' | 'backend' | 'user' | undefined;
};
export type UsageRecord = {
  key: string | null;
  tasks: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
};

/** An agent, as the daemon finds it on its machine. */
export type BackendRecord = {
  id: string;
  label: string;
  aliases: string[];
  capabilities: Capabilities;
  options_schema: Record<string, unknown>;
  provider_options_schema: Record<string, unknown> | null;
  /** As the agent names them; empty when it does not say. Others may work too. */
  models: ModelInfo[];
  probe: Probe;
};

/** A server that shares the database. */
export type DaemonRecord = {
  daemon_id: string;
  host: string;
  url: string;
  version: string;
  slots: number;
  started_at: string;
  heartbeat_at: string;
  alive: boolean;
};
