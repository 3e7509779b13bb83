import type {
  AgentEvent,
  LogEvent,
  MessageRecord,
  RequestAnswer,
  SessionRecord,
  TaskRecord,
} from '@baton/protocol';
import { administration } from './administration.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { type FollowOptions, follow } from './follow.ts';
import { launchRemotely, type RemoteRequest } from './launch.ts';
import type {
  DaemonStatus,
  ExecutorFacts,
  ExecutorStart,
  FoundId,
  ImportReceipt,
  Login,
  NewSession,
  NewTask,
  Page,
  PageQuery,
  PendingRecord,
  RawOutput,
  SessionPatch,
  StopReceipt,
  UserFacts,
} from './records.ts';
import type { RemoteRun } from './remote-run.ts';

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
  launch(request: RemoteRequest): Promise<RemoteRun> {
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
