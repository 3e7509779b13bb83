import type { LogEvent } from '@baton/protocol';
import { access } from './access.ts';
import { administration } from './administration.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { conversations } from './conversations.ts';
import { type FollowOptions, follow } from './follow.ts';
import { launchRemotely, type RemoteRequest } from './launch.ts';
import type {
  DaemonStatus,
  ExecutorFacts,
  ExecutorRecord,
  ExecutorStart,
  FoundId,
  ImportReceipt,
} from './records.ts';
import type { RemoteRun } from './remote-run.ts';

/**
 * Everything that a daemon can be asked, but two things: `messages.subscribe`, which `follow` is better than, and what
 * executors use that do not report events (`messages.create` and `streamChunk`).
 */
export class BatonClient {
  readonly connection: Connection;
  readonly #conversations = conversations((...call) => this.#call(...call));
  readonly sessions = this.#conversations.sessions;
  readonly tasks = this.#conversations.tasks;
  readonly messages = this.#conversations.messages;
  readonly events = this.#conversations.events;
  readonly transcript = this.#conversations.transcript;
  readonly news = this.#conversations.news;
  readonly permissions = this.#conversations.permissions;
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
  readonly files = this.#administration.files;
  readonly folders = this.#administration.folders;
  readonly trustedFolders = this.#administration.trustedFolders;
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

  /** Runs a prompt through the daemon, with the same events as in this program. */
  launch(request: RemoteRequest): Promise<RemoteRun> {
    return launchRemotely(this, request);
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

  readonly executors = {
    /** Lists the executors that have not ended. */
    find: () => this.#call<ExecutorRecord[]>('executors', 'find', {}),
    /** Takes a task and learns what to do. */
    create: (facts: ExecutorFacts) => this.#call<ExecutorStart>('executors', 'create', facts),
    /** Says that the agent is about to see the prompt, so that the task is never queued again. */
    agentStarting: () => this.#call<object>('executors', 'agentStarting', {}),
    /** Exchanges the token of an executor for a new one; the connection does it by itself with `renewsToken`. */
    renewToken: () => this.#call<{ token: string }>('executors', 'renewToken', {}),
    /** Says that an executor lives, and for how long its agent has done nothing. */
    heartbeat: (sign: { idle_ms: number; ended?: boolean; stopping?: boolean }) =>
      this.#call<{ token?: string; stop?: boolean }>('executors', 'heartbeat', sign),
    /** Waits for the next task of the session that an executor has just carried out a task of. */
    next: (wait: { wait_ms: number }) =>
      this.#call<{ token: string | null; is_task: boolean }>('executors', 'next', wait),
  };

  #call<Result>(service: string, method: string, ...args: unknown[]): Promise<Result> {
    return this.connection.call(service, method, args);
  }
}
