import type {
  AgentEvent,
  AgentRun,
  LogEvent,
  MessageRecord,
  PermissionMode,
  RequestAnswer,
  RequestPolicy,
  SessionRecord,
  TaskRecord,
} from '@baton/protocol';
import { administration } from './administration.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { type FollowOptions, follow } from './follow.ts';
import { launchRemotely, type RemoteRequest } from './launch.ts';

/** A list of records, and how many there are in all. */
export type Page<Row> = { total: number; limit: number; skip: number; data: Row[] };
type PageQuery = { limit?: number; skip?: number };

export type NewSession = {
  cwd: string;
  backend: string;
  permission_mode?: PermissionMode | undefined;
  title?: string | undefined;
};
export type SessionPatch = {
  title?: string;
  backend?: string;
  model?: string | null;
  permission_mode?: PermissionMode;
  request_policy?: RequestPolicy | null;
  archived?: boolean;
};
export type NewTask = {
  prompt: string;
  permissionMode?: PermissionMode | undefined;
  backend?: string | undefined;
  model?: string | undefined;
  options?: Record<string, unknown> | undefined;
  attachments?: string[] | undefined;
};
export type StopReceipt = { receipt: 'cancelled' | 'stopping' | 'ended'; task: TaskRecord };
export type PendingRecord = {
  session_id: string;
  task_id: string;
  request_id: string;
  kind: 'permission' | 'question';
  status: string;
  asked_at: string;
  request: Record<string, unknown>;
};
export type RawOutput = { parts: { part: number; text: string }[]; more: boolean };
export type ExecutorStart = {
  executor_id: string;
  token: string;
  lease_ms: number;
  last_seq: number;
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
export type ExecutorFacts = {
  task_id?: string | undefined;
  host: string;
  pid: number;
};

export type UserFacts = { user_id: string; name: string; role: string };
export type Login = { accessToken: string; user: UserFacts };
/** A session, a task or a request that was found by the beginning of its id. */
export type FoundId = {
  kind: 'session' | 'task' | 'request';
  id: string;
  session_id: string;
  task_id: string | null;
  about: string;
};
export type DaemonStatus = {
  daemon_id: string;
  version: string;
  /** Nothing while it is only just beginning. */
  started_at: string | null;
  database: 'sqlite' | 'postgres';
  slots: number;
  /** Tasks that have not ended, by their status. */
  tasks: Record<string, number>;
  pending_requests: number;
};
export type ImportReceipt = {
  cursor: number;
  /** Only of the last piece. */
  session?: SessionRecord;
  ended_tasks?: number;
  /** False when the session was here already. */
  is_new?: boolean;
};

/** Everything that a daemon can be asked. */
export class BatonClient {
  readonly connection: Connection;
  readonly #administration = administration((...call) => this.#call(...call));
  readonly apiKeys = this.#administration.apiKeys;
  readonly settings = this.#administration.settings;
  readonly mcpServers = this.#administration.mcpServers;
  readonly attachments = this.#administration.attachments;
  readonly usage = this.#administration.usage;
  readonly backends = this.#administration.backends;
  readonly daemons = this.#administration.daemons;

  constructor(options: ConnectionOptions) {
    this.connection = new Connection(options);
  }

  close(): void {
    this.connection.close();
  }

  /** Gives the events of a session, each once and in order, for as long as it is read. */
  follow(sessionId: string, options?: FollowOptions): AsyncGenerator<LogEvent> {
    return follow(this.connection, sessionId, options);
  }

  readonly authentication = {
    /** Exchanges the secret of a one-time link for a token. */
    useLink: (secret: string) =>
      this.#call<Login>('authentication', 'create', { strategy: 'link', secret }),
    /** Makes the own token useless. */
    remove: () => this.#call<object>('authentication', 'remove', 'me'),
  };

  readonly users = {
    /** Who is asking. */
    me: () => this.#call<UserFacts>('users', 'get', 'me'),
  };

  readonly status = {
    find: () => this.#call<DaemonStatus>('status', 'find', {}),
  };

  readonly ids = {
    /** What has an id that begins so. */
    find: (query: { prefix: string; limit?: number }) =>
      this.#call<FoundId[]>('ids', 'find', query),
  };

  readonly imports = {
    /** Hands over a piece of the log of a session, and with `done` the whole of it. */
    create: (piece: { session_id: string; events: readonly LogEvent[]; done?: boolean }) =>
      this.#call<ImportReceipt>('imports', 'create', piece),
  };

  readonly events = {
    find: (query: { session_id: string; after?: number; limit?: number; wait?: number }) =>
      this.#call<{ events: LogEvent[]; cursor: number }>('events', 'find', query),
  };

  /** Runs a prompt through the daemon, with the same events as in this program. */
  launch(request: RemoteRequest): Promise<AgentRun> {
    return launchRemotely(this, request);
  }

  readonly sessions = {
    find: (query: PageQuery & { archived?: boolean } = {}) =>
      this.#call<Page<SessionRecord>>('sessions', 'find', query),
    get: (id: string) => this.#call<SessionRecord>('sessions', 'get', id),
    create: (session: NewSession) => this.#call<SessionRecord>('sessions', 'create', session),
    patch: (id: string, changes: SessionPatch) =>
      this.#call<SessionRecord>('sessions', 'patch', id, changes),
    /** Puts a prompt into the queue of a session; it runs at once when there is room. */
    executeTask: (id: string, task: NewTask) =>
      this.#call<TaskRecord>('sessions', 'executeTask', { session_id: id, ...task }),
    /** Begins a session that goes on from another one, or from before one of its prompts. */
    fork: (id: string, fork: { before_task?: string | undefined } = {}) =>
      this.#call<SessionRecord>('sessions', 'fork', { session_id: id, ...fork }),
    /** Gives a prompt once more, or another one in its place, in a copy of the session as it was before. */
    retryTask: (id: string, retry: { taskId: string; prompt?: string; backend?: string }) =>
      this.#call<TaskRecord>('sessions', 'retryTask', { session_id: id, ...retry }),
    /** Gives the agent of a task that runs more to consider. */
    steerTask: (id: string, steer: { taskId: string; text: string }) =>
      this.#call<TaskRecord>('sessions', 'steerTask', { session_id: id, ...steer }),
    stopTask: (id: string, stop: { taskId: string; reason?: string | undefined }) =>
      this.#call<StopReceipt>('sessions', 'stopTask', { session_id: id, ...stop }),
  };

  readonly tasks = {
    find: (query: PageQuery & { session_id?: string; status?: string | string[] } = {}) =>
      this.#call<Page<TaskRecord>>('tasks', 'find', query),
    get: (id: string) => this.#call<TaskRecord>('tasks', 'get', id),
    /** Changes a prompt whose turn has not come. */
    patch: (id: string, changes: { full_prompt: string }) =>
      this.#call<TaskRecord>('tasks', 'patch', id, changes),
    /** What the agent of a task really printed, behind a part. */
    rawOutput: (query: { task_id: string; after?: number }) =>
      this.#call<RawOutput>('tasks', 'rawOutput', query),
    /** Hands over what an agent printed; executors only. */
    appendRaw: (piece: { offset: number; text: string }) =>
      this.#call<{ bytes: number }>('tasks', 'appendRaw', piece),
  };

  readonly messages = {
    find: (query: { session_id: string; task_id?: string; before?: number; limit?: number }) =>
      this.#call<{ data: MessageRecord[]; cursor: number }>('messages', 'find', query),
    /** Reports events of a run; executors only. */
    append: (events: readonly AgentEvent[]) =>
      this.#call<{ last_seq: number }>('messages', 'append', { events }),
  };

  readonly permissions = {
    find: (query: PageQuery & { session_id?: string; status?: string } = {}) =>
      this.#call<Page<PendingRecord>>('permissions', 'find', query),
    answer: (answer: {
      session_id: string;
      task_id: string;
      request_id: string;
      answer: RequestAnswer;
      /** What an answer for longer than once allows; exactly the same again unless told otherwise. */
      pattern?: string | undefined;
    }) => this.#call<{ receipt: 'accepted' | 'late' }>('permissions', 'answer', answer),
  };

  readonly executors = {
    /** Takes a task and learns what to do. */
    create: (facts: ExecutorFacts) => this.#call<ExecutorStart>('executors', 'create', facts),
    heartbeat: (sign: { idle_ms: number; ended?: boolean }) =>
      this.#call<{ token?: string; stop?: boolean }>('executors', 'heartbeat', sign),
    /** Waits for the next task of the session that an executor has just carried out a task of. */
    next: (wait: { wait_ms: number }) =>
      this.#call<{ token: string | null; is_task: boolean }>('executors', 'next', wait),
  };

  #call<Result>(service: string, method: string, ...args: unknown[]): Promise<Result> {
    return this.connection.call(service, method, args);
  }
}
