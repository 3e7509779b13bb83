import type { Capabilities, CommandInfo, McpServer, ModelInfo, Probe } from '@baton/protocol';

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

/** By what usage can be summed up. */
export type UsageGroup = 'day' | 'session' | 'backend' | 'user' | 'model' | 'folder' | 'outcome';
export type UsageQuery = {
  /** ISO 8601. */
  from?: string | undefined;
  to?: string | undefined;
  /** One group, or two: then there is a record for each combination. */
  group_by?: UsageGroup | readonly [UsageGroup, UsageGroup] | undefined;
};
/** What tasks of one group consumed, and how they ended. */
export type UsageRecord = {
  /** Of the first group: a day (UTC), or the id of what it is grouped by. */
  key: string | null;
  /** The key of each group by its name; nothing for tasks of nobody, without a model, or that have not ended. */
  group: { [Group in UsageGroup]?: string | null };
  tasks: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
  /** For how long those that have ended ran. */
  duration_ms: number;
  done: number;
  failed: number;
  cancelled: number;
  timed_out: number;
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
  /** What a prompt can begin with after a slash, without it; empty when the agent does not say. */
  commands: CommandInfo[];
  /** What tasks get that do not say otherwise. */
  /** The variables in which it takes a key, as API keys are named. */
  key_variables: string[];
  default_options: Record<string, unknown>;
  probe: Probe;
};

/** Where to look for files, and for which. */
export type FileQuery = ({ session_id: string } | { cwd: string }) & {
  /** Some letters of the path. */
  search?: string | undefined;
  limit?: number | undefined;
};
/** Files and folders that fit, the best first, by their paths from a folder. */
export type FoundFiles = {
  cwd: string;
  data: { path: string; kind: 'file' | 'folder' }[];
  /** False when there was too much to look at all of it. */
  complete: boolean;
};
/** Whether agents may use the settings of a folder. */
export type FolderDecision = { folder: string; trusted: boolean };

/** The folders in a folder of the daemon's machine. */
export type FolderRecord = {
  path: string;
  /** Nothing above the root. */
  parent: string | null;
  is_repository: boolean;
  data: { name: string; path: string; is_repository: boolean }[];
  complete: boolean;
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
