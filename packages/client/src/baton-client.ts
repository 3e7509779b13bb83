import type {
  AgentEvent,
  LogEvent,
  MessageRecord,
  RequestAnswer,
  SessionRecord,
  TaskRecord,
} from '@baton/protocol';
import { access } from './access.ts';
import { administration } from './administration.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { type FollowOptions, follow } from './follow.ts';
import { launchRemotely, type RemoteRequest } from './launch.ts';
import type {
  DaemonStatus,
  ExecutorFacts,
  ExecutorRecord,
  ExecutorStart,
  FoundId,
  ImportReceipt,
  MessagePatch,
  NewSession,
  NewTask,
  Page,
  PageQuery,
  PendingRecord,
  RawOutput,
  SessionPatch,
  StopReceipt,
} from './records.ts';
import type { RemoteRun } from './remote-run.ts';

/**
 * Everything that a daemon can be asked, but two things: `messages.subscribe`, which `follow` is better than, and what
 * executors use that do not report events (`messages.create` and `streamChunk`).
 */
export class BatonClient {
  readonly connection: Connection;
  readonly #access = access((...call) => this.#call(...call));
  readonly authentication = this.#access.authentication;
  readonly users = this.#access.users;
  readonly tokens = this.#access.tokens;
  readonly rules = this.#access.rules;
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

  /** Ends the connection for good; whatever still waits for an answer fails. */
  close(): void {
    this.connection.close();
  }

  /** Gives the events of a session, each once and in order, for as long as it is read. */
  follow(sessionId: string, options?: FollowOptions): AsyncGenerator<LogEvent> {
    return follow(this.connection, sessionId, options);
  }

  readonly status = {
    /** Tells how the daemon is, in a few numbers. */
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
    /** Gives the events behind a cursor, and with `wait` waits for some. */
    find: (query: { session_id: string; after?: number; limit?: number; wait?: number }) =>
      this.#call<{ events: LogEvent[]; cursor: number }>('events', 'find', query),
  };

  /** Runs a prompt through the daemon, with the same events as in this program. */
  launch(request: RemoteRequest): Promise<RemoteRun> {
    return launchRemotely(this, request);
  }

  readonly sessions = {
    /** Lists sessions, those with news first. */
    find: (query: PageQuery & { archived?: boolean } = {}) =>
      this.#call<Page<SessionRecord>>('sessions', 'find', query),
    /** Gives one session. */
    get: (id: string) => this.#call<SessionRecord>('sessions', 'get', id),
    /** Begins a session in a folder. */
    create: (session: NewSession) => this.#call<SessionRecord>('sessions', 'create', session),
    /** Changes a session, or puts it into the archive. */
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
    /** Stops a task: one that waits at once, one that runs as soon as its executor has stopped it. */
    stopTask: (id: string, stop: { taskId: string; reason?: string | undefined }) =>
      this.#call<StopReceipt>('sessions', 'stopTask', { session_id: id, ...stop }),
  };

  readonly tasks = {
    /** Lists tasks, the newest first. */
    find: (query: PageQuery & { session_id?: string; status?: string | string[] } = {}) =>
      this.#call<Page<TaskRecord>>('tasks', 'find', query),
    /** Gives one task. */
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
    /** Gives the last messages of a session, or those before a cursor, the oldest first. */
    find: (query: { session_id: string; task_id?: string; before?: number; limit?: number }) =>
      this.#call<{ data: MessageRecord[]; cursor: number }>('messages', 'find', query),
    /** Gives one message. */
    get: (id: string) => this.#call<MessageRecord>('messages', 'get', id),
    /** Answers a permission request by its message; `permissions.answer` can say more. */
    patch: (id: string, changes: MessagePatch) =>
      this.#call<MessageRecord & { receipt: 'accepted' | 'late' }>(
        'messages',
        'patch',
        id,
        changes,
      ),
    /** Reports events of a run; executors only. */
    append: (events: readonly AgentEvent[]) =>
      this.#call<{ last_seq: number }>('messages', 'append', { events }),
  };

  readonly permissions = {
    /** Lists requests, those that wait longest first. */
    find: (query: PageQuery & { session_id?: string; status?: string } = {}) =>
      this.#call<Page<PendingRecord>>('permissions', 'find', query),
    /** Answers a request: the first answer counts, a later one is told that it came late. */
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
    /** Lists the executors that have not ended. */
    find: () => this.#call<ExecutorRecord[]>('executors', 'find', {}),
    /** Takes a task and learns what to do. */
    create: (facts: ExecutorFacts) => this.#call<ExecutorStart>('executors', 'create', facts),
    /** Says that an executor lives, and for how long its agent has done nothing. */
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
