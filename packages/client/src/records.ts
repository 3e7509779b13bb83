import type {
  Entry,
  FileChange,
  PermissionMode,
  RequestPolicy,
  SessionRecord,
  TaskRecord,
} from '@baton/protocol';

/** A list of records, and how many there are in all. */
export type Page<Row> = { total: number; limit: number; skip: number; data: Row[] };
/** Which part of a list. */
export type PageQuery = { limit?: number; skip?: number };

/** Which sessions. */
export type SessionQuery = PageQuery & {
  /** Those in the archive, in place of the others. */
  archived?: boolean | undefined;
  backend?: string | undefined;
  cwd?: string | undefined;
  /** The id of the user who began them. */
  created_by?: string | undefined;
  /** Words of the title or the folder, in capitals or not. */
  search?: string | undefined;
};
/** Which tasks. */
export type TaskQuery = PageQuery & {
  session_id?: string | undefined;
  status?: string | string[] | undefined;
  backend?: string | undefined;
  /** The folder of the session. */
  cwd?: string | undefined;
  /** Only those whose session is in the archive, or only others; all without it. */
  archived?: boolean | undefined;
  /** Words of the prompt, in capitals or not. */
  search?: string | undefined;
  sort?: 'newest' | 'oldest' | undefined;
  /** Only the beginnings of prompts and outputs, which may be very long. */
  brief?: boolean | undefined;
};

/** A session that is to be made. */
export type NewSession = {
  cwd: string;
  backend: string;
  permission_mode?: PermissionMode | undefined;
  title?: string | undefined;
};
/** What can be changed in a session. */
export type SessionPatch = {
  title?: string;
  backend?: string;
  model?: string | null;
  permission_mode?: PermissionMode;
  request_policy?: RequestPolicy | null;
  archived?: boolean;
};
/** A prompt that is to be carried out. */
export type NewTask = {
  prompt: string;
  permissionMode?: PermissionMode | undefined;
  backend?: string | undefined;
  model?: string | undefined;
  options?: Record<string, unknown> | undefined;
  attachments?: string[] | undefined;
  /** A UUID of the caller's making: given once more with the same one, it is the same task. */
  task_id?: string | undefined;
};
/** What became of a wish to stop a task. */
export type StopReceipt = { receipt: 'cancelled' | 'stopping' | 'ended'; task: TaskRecord };
/** What a queue was cleared of: the ids of the tasks, and the session as it is now. */
export type ClearedQueue = { cleared: string[]; session: SessionRecord };
/** A request that waits for a person. */
export type PendingRecord = {
  session_id: string;
  task_id: string;
  request_id: string;
  kind: 'permission' | 'question';
  status: string;
  asked_at: string;
  request: Record<string, unknown>;
  /** Nothing while it waits. */
  answer: Record<string, unknown> | null;
  answered_by: string | null;
  answered_at: string | null;
};
/** An answer to a permission request, as a change of its message. */
export type MessagePatch = {
  content: { status: 'approved' | 'denied'; reason?: string | undefined };
};
/** A part of what people see of a session; the events behind its cursor go on with it. */
export type TranscriptPage = {
  entries: Entry[];
  /** Prompts that were given earlier, of tasks that begin in the entries. */
  prompts: Entry[];
  /** Earlier ones that later events may still change. */
  changing: Entry[];
  cursor: number;
};
/** One change of a file, as an entry of the transcript tells it. */
export type FileChangeRecord = {
  /** Of the entry that has all of the diff. */
  cursor: number;
  task_id: string | null;
  kind: FileChange['kind'];
  added: number;
  removed: number;
  /** A unified diff, or the text of a new file when the kind is `add`; nothing when the agent did not say. */
  diff: string | null;
  /** Only the beginning of the diff is here, or nothing of it. */
  cut: boolean;
};
/** A file that a session says it changed. */
export type ChangedFileRecord = {
  /** From the folder of the session on, where it is in that. */
  path: string;
  /** The name that it had at first, where it was renamed. */
  old_path: string | null;
  /** What became of it in all. */
  kind: FileChange['kind'];
  added: number;
  removed: number;
  changes: FileChangeRecord[];
};
/** The files that a session says it changed, in the order in which it first did. */
export type SessionFileChanges = { files: ChangedFileRecord[]; cursor: number };
/** Which sessions have moved. */
export type News = {
  /** Where to go on the next time. */
  after: string;
  session_ids: string[];
  /** Nobody knows what was missed: look again at everything. */
  everything: boolean;
  /** Somebody was changed, such as their role: look who you are. */
  people: boolean;
};
/** What an agent really printed, a few parts of it. */
export type RawOutput = { parts: { part: number; text: string }[]; more: boolean };
/** What an executor needs to begin. */
export type ExecutorStart = {
  executor_id: string;
  token: string;
  lease_ms: number;
  last_seq: number;
  /** The place in the log of its session at which the task was taken: what is said to it comes after that. */
  cursor: number;
  task: TaskRecord;
  session: SessionRecord;
  /** The agent's own session to go on with. */
  resume: string | null;
  /** Whether to go on in a copy of it. */
  fork: boolean;
  /** What the agent has to be told that it was not there for. */
  hand_over: string | null;
  /** For how long the agent is kept ready for the next task of its session. */
  keep_open_ms: number;
  /** How many processes an agent may have and still be kept. */
  max_agent_processes: number;
  /** How much is kept of what the agent prints. */
  raw_max_bytes: number;
  /** How the agent is kept away from what is not its own. */
  isolation: {
    mode: 'none' | 'bubblewrap' | 'user';
    network: boolean;
    unix_user: string | null;
    hidden: string[];
  };
};
/** A process that carries out a task. */
export type ExecutorRecord = {
  executor_id: string;
  task_id: string;
  session_id: string;
  daemon_id: string;
  host: string;
  pid: number | null;
  started_at: string;
  /** When it was last heard of. */
  heartbeat_at: string;
  /** When its agent last did something. */
  progress_at: string;
  ended_at: string | null;
  /** Until when its task is its own without another sign of life; nothing while it has none. */
  lease_expires_at: string | null;
};
/** What an executor says about itself. */
export type ExecutorFacts = {
  task_id?: string | undefined;
  /** A UUID of its own making: with the same one it gets the same task again, when the answer got lost. */
  claim_id?: string | undefined;
  host: string;
  pid: number;
  /** Whether it says when its agent starts, with `agentStarting`. */
  announces_start?: boolean | undefined;
  /** Where it keeps what it has not reported: a daemon on the same machine can take that when it is gone. */
  spool_folder?: string | undefined;
  /** Runs the task with this mode, which may not be wider than its own. */
  permission_mode?: PermissionMode | undefined;
};

/** A session, a task or a request that was found by the beginning of its id. */
export type FoundId = {
  kind: 'session' | 'task' | 'request';
  id: string;
  session_id: string;
  task_id: string | null;
  about: string;
};
/** What a daemon does now. */
export type DaemonStatus = {
  daemon_id: string;
  version: string;
  /** Nothing while it is only just beginning. */
  started_at: string | null;
  database: 'sqlite' | 'postgres';
  slots: number;
  /** Of all daemons together; tasks that need input use none. */
  slots_in_use: number;
  /** Why no queued task can start, once for all of them. */
  queue_block: { code: 'no_slots' | 'slots_in_use' | 'needs_input'; message: string } | null;
  /** Tasks that have not ended, by their status. */
  tasks: Record<string, number>;
  pending_requests: number;
};
/** How far the import of a session has come. */
export type ImportReceipt = {
  cursor: number;
  /** Only of the last piece. */
  session?: SessionRecord;
  ended_tasks?: number;
  /** False when the session was here already. */
  is_new?: boolean;
};
