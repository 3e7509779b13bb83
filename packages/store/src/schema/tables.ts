/** A moment, in milliseconds since 1970. */
type Time = number;
/** JSON as text. */
type Json = string;
/** 0 or 1. */
type Flag = number;

/** A conversation of many tasks, one after another, in one folder. */
export type SessionRow = {
  session_id: string;
  created_by: string | null;
  title: string;
  cwd: string;
  backend: string;
  model: string | null;
  permission_mode: string;
  /** The policy for unanswered requests. */
  request_policy: Json | null;
  /** The agent's own session, and the backend that it belongs to. */
  native_session_id: string | null;
  native_backend: string | null;
  forked_from: Json | null;
  archived: Flag;
  /** 1 if its queued tasks wait for the queue to be resumed. */
  queue_paused: Flag;
  created_at: Time;
  updated_at: Time;
  /** Start time of its last task; the session that waited longest goes first. */
  last_started_at: Time;
  /** The cursor of the last event. */
  head_cursor: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
  /** 1 if a part of the cost is an estimate. */
  cost_estimated: Flag;
  /** The workspace that its first task makes. */
  workspace_request: Json | null;
  /** The folder that its agents work in, and the change of its files, as its machine reported them. */
  workspace: Json | null;
  changes: Json | null;
};

/** One prompt and what became of it. */
export type TaskRow = {
  task_id: string;
  session_id: string;
  /** The cursor of its prompt: tasks of a session run in this order. */
  position: number;
  status: string;
  created_by: string | null;
  full_prompt: string;
  description: string;
  backend: string;
  /** The model that the user chose. */
  model: string | null;
  /** The model that the agent reported. */
  used_model: string | null;
  permission_mode: string;
  options: Json;
  attachments: Json;
  executor_id: string | null;
  run_id: string | null;
  /** The number of the last event of its run. */
  last_seq: number;
  /** The last of them that came from its executor, where Baton itself had to end the task. */
  reported_seq: number | null;
  /** Requests that wait for an answer. */
  pending_requests: number;
  /** Number of executors that ended before starting its agent. */
  failed_starts: number;
  native_session_id: string | null;
  /** The ids of the requests that were answered while it was paused, in a task that resumes or has resumed. */
  resumed_with: Json | null;
  created_at: Time;
  started_at: Time | null;
  completed_at: Time | null;
  outcome: string | null;
  output: string | null;
  error: Json | null;
  usage: Json | null;
};

/** One thing that a person sees in a session. */
export type EntryRow = {
  session_id: string;
  entry_key: string;
  task_id: string | null;
  kind: string;
  first_cursor: number;
  /** Events up to this one are in the body. */
  through: number;
  open: Flag;
  body: Json;
};

/** A permission request or a question. */
export type RequestRow = {
  session_id: string;
  task_id: string;
  request_id: string;
  kind: string;
  asked_at: Time;
  /** `pending`, `answered` (on its way to the agent) or `resolved`. */
  status: string;
  request: Json;
  answer: Json | null;
  answered_by: string | null;
  answered_at: Time | null;
  resolution: Json | null;
};

/** A batch of events, in the order of their cursors. */
type LogRow = {
  session_id: string;
  last_cursor: number;
  events: number;
  at: Time;
  body: Json;
};

/** The right to carry out a task, for a while. */
export type LeaseRow = {
  task_id: string;
  session_id: string;
  executor_id: string;
  daemon_id: string;
  /** Increases with every lease of the task; a holder with a smaller value has lost the lease. */
  fence: number;
  expires_at: Time;
  /** Grows with each renewal, so that a renewal is noticed even if the clock jumps. */
  renewals: number;
  /** Set before the agent gets the prompt: from then on the task must not run again. */
  agent_started: Flag;
};

/** A process that carries out a task. */
export type ExecutorRow = {
  executor_id: string;
  task_id: string;
  session_id: string;
  daemon_id: string;
  host: string;
  pid: number | null;
  /** With the pid it names a process for certain. */
  start_ticks: number | null;
  started_at: Time;
  /** Last heartbeat of the process. */
  heartbeat_at: Time;
  /** Last activity of the agent. */
  progress_at: Time;
  ended_at: Time | null;
  /** Folder of its event spool; null for an executor that a user started on another machine. */
  spool_folder: string | null;
};

/** A server that shares this database. */
export type DaemonRow = {
  daemon_id: string;
  host: string;
  url: string;
  version: string;
  slots: number;
  started_at: Time;
  heartbeat_at: Time;
};

export type UserRow = {
  user_id: string;
  name: string;
  role: string;
  password_hash: string | null;
  disabled: Flag;
  created_at: Time;
};

/** Token of a user or a script; only the hash of its secret is stored. */
export type TokenRow = {
  token_id: string;
  user_id: string;
  name: string;
  /** `api` lives until it is revoked, `login` until it expires, `link` is used once. */
  kind: string;
  hash: string;
  scopes: Json;
  created_at: Time;
  expires_at: Time | null;
  last_used_at: Time | null;
  revoked_at: Time | null;
};

/** A secret of a user, or a shared one, encrypted. */
export type ApiKeyRow = {
  key_id: string;
  user_id: string | null;
  name: string;
  sealed: string;
  created_at: Time;
};

/** Rule that decides a permission request without asking. */
export type RuleRow = {
  rule_id: string;
  /** Set for a rule of one session. */
  session_id: string | null;
  /** Set for a rule of all sessions in this folder. */
  folder: string | null;
  tool: string;
  pattern: string | null;
  decision: string;
  created_by: string | null;
  created_at: Time;
};

export type SettingRow = { name: string; value: Json; updated_at: Time };

export type McpServerRow = {
  server_id: string;
  name: string;
  sealed: string;
  enabled: Flag;
  created_by: string | null;
  created_at: Time;
};

export type AttachmentRow = {
  attachment_id: string;
  session_id: string;
  name: string;
  media_type: string;
  bytes: number;
  body: Uint8Array;
  created_by: string | null;
  created_at: Time;
};

/** The change of files on another machine, as its executor reported it. */
type ReportedChangeRow = {
  /** The session or the turn, and the comparison: a later report replaces an earlier one. */
  change_id: string;
  session_id: string;
  /** The task whose executor reported it. */
  task_id: string;
  compare: string;
  host: string;
  from_tree: string;
  to_tree: string;
  facts: Json;
  /** The difference as a compressed patch; null if it was too large. */
  patch: Uint8Array | null;
  at: Time;
};

/** A comment of a person on a change. */
export type ReviewCommentRow = {
  comment_id: string;
  session_id: string;
  created_by: string | null;
  created_at: Time;
  updated_at: Time;
  path: string;
  side: string;
  /** Null for a comment on the whole file. */
  line: number | null;
  end_line: number | null;
  /** The tree in which the lines have these numbers. */
  tree: string;
  /** The lines as they were. */
  quote: string;
  text: string;
  /** The prompt that it was sent with; null for a draft. */
  task_id: string | null;
  sent_at: Time | null;
  resolved_by: string | null;
  resolved_at: Time | null;
};

/** Raw output of an agent, in compressed parts. */
type RawOutputRow = {
  task_id: string;
  part: number;
  at: Time;
  /** Size before compression. */
  bytes: number;
  body: Uint8Array;
};

/** One execution of a chain. */
export type ChainRunRow = {
  run_id: string;
  /** The name of the chain. */
  chain: string;
  /** The path of the chains file, and the hash of what it contained. */
  file: string;
  file_hash: string;
  cwd: string;
  inputs: Json;
  /** The chain as it was when the run started; a later change of the file does not change the run. */
  definition: Json;
  status: string;
  pending_approvals: number;
  created_by: string | null;
  created_at: Time;
  updated_at: Time;
  completed_at: Time | null;
  /** The number of its last event. */
  head_seq: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
  cost_estimated: Flag;
  /** The process that runs it now. */
  owner_id: string | null;
  owner: Json | null;
  heartbeat_at: Time | null;
};

type ChainEventRow = { run_id: string; seq: number; at: Time; body: Json };

/** The content of a chains file that a user allows to widen rights. */
export type TrustedChainRow = {
  hash: string;
  file: string;
  trusted_by: string | null;
  trusted_at: Time;
};

/** The states of a message to the gateway; `replying` means that its result is stored and the reply is not confirmed. */
export type GatewayEventState =
  | 'accepted'
  | 'running'
  | 'replying'
  | 'answered'
  | 'failed'
  | 'rejected';

/** A message to the chat gateway. */
export type GatewayEventRow = {
  /** Unique across platforms, such as `discord:1234`. */
  channel_id: string;
  /** The platform's own id of the message. */
  message_id: string;
  /** Messages of a channel run in this order. */
  position: number;
  state: GatewayEventState;
  /** Set before the agent gets the prompt: from then on only a user may run it again. */
  agent_started: Flag;
  /** The URL of the daemon that runs the agent; null in the process of the gateway. */
  place: string | null;
  body: Json;
  result: Json | null;
  /** Ids of the messages sent for it: the parts of the answer, in order, and the messages that ask a question. */
  sent: Json | null;
  accepted_at: Time;
  updated_at: Time;
};

/** A channel that the chat gateway has got messages from. */
export type GatewayChannelRow = {
  channel_id: string;
  /** The last message that was stored; after a restart, the gateway fetches those that follow. */
  last_message_id: string | null;
  /** The position of the last message. */
  head_position: number;
  /** Backend and model that users chose for the channel; null for the gateway's default. */
  backend: string | null;
  model: string | null;
  /** Total usage of all runs of the channel. */
  usage: Json | null;
  /** The worktree of its conversation: the id that the gateway chose, and the place once it is there. */
  workspace: Json | null;
};

/** The agent's own session of a channel. */
type GatewaySessionRow = {
  channel_id: string;
  backend: string;
  native_session_id: string;
  updated_at: Time;
};

/** A webhook signature that was used, until it would be too old anyway. */
type GatewaySignatureRow = { signature: string; expires_at: Time };

export type Tables = {
  sessions: SessionRow;
  tasks: TaskRow;
  entries: EntryRow;
  requests: RequestRow;
  log: LogRow;
  leases: LeaseRow;
  executors: ExecutorRow;
  daemons: DaemonRow;
  users: UserRow;
  tokens: TokenRow;
  api_keys: ApiKeyRow;
  rules: RuleRow;
  settings: SettingRow;
  mcp_servers: McpServerRow;
  attachments: AttachmentRow;
  raw_output: RawOutputRow;
  reported_changes: ReportedChangeRow;
  review_comments: ReviewCommentRow;
  chain_runs: ChainRunRow;
  chain_events: ChainEventRow;
  trusted_chains: TrustedChainRow;
  gateway_events: GatewayEventRow;
  gateway_channels: GatewayChannelRow;
  gateway_sessions: GatewaySessionRow;
  gateway_signatures: GatewaySignatureRow;
};
