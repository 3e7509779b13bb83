import {
  checkRequests,
  type LogEvent,
  type OutputSchema,
  type StructuredOf,
  type TaskRunHooks,
} from '@baton/protocol';
import type { DataOf, ExecutorFacts, QueryOf } from '@baton/protocol/wire';
import { access } from './access.ts';
import { administration } from './administration.ts';
import type { Call } from './call.ts';
import { chains } from './chains.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { conversations } from './conversations.ts';
import { type FollowOptions, follow } from './follow.ts';
import { launchRemotely, type RemoteRequest } from './launch.ts';
import { RemoteRun } from './remote-run.ts';

/**
 * All methods of the daemon except `messages.subscribe`, for which `follow` is better, and the methods of executors that
 * do not report events (`messages.create` and `streamChunk`).
 */
export class BatonClient {
  readonly connection: Connection;
  readonly #call: Call = (service, method, ...args) => this.connection.call(service, method, args);
  readonly #conversations = conversations(this.#call);
  readonly sessions = this.#conversations.sessions;
  readonly tasks = this.#conversations.tasks;
  readonly changes = this.#conversations.changes;
  readonly checkpoints = this.#conversations.checkpoints;
  readonly reviewComments = this.#conversations.reviewComments;
  readonly finish = this.#conversations.finish;
  readonly workspaces = this.#conversations.workspaces;
  readonly messages = this.#conversations.messages;
  readonly events = this.#conversations.events;
  readonly transcript = this.#conversations.transcript;
  readonly news = this.#conversations.news;
  readonly permissions = this.#conversations.permissions;
  readonly #access = access(this.#call);
  readonly authentication = this.#access.authentication;
  readonly users = this.#access.users;
  readonly tokens = this.#access.tokens;
  readonly rules = this.#access.rules;
  readonly #administration = administration(this.#call);
  readonly apiKeys = this.#administration.apiKeys;
  readonly settings = this.#administration.settings;
  readonly mcpServers = this.#administration.mcpServers;
  readonly agentMcpServers = this.#administration.agentMcpServers;
  readonly attachments = this.#administration.attachments;
  readonly usage = this.#administration.usage;
  readonly backends = this.#administration.backends;
  readonly files = this.#administration.files;
  readonly folders = this.#administration.folders;
  readonly trustedFolders = this.#administration.trustedFolders;
  readonly daemons = this.#administration.daemons;
  readonly chains: ReturnType<typeof chains>['chains'];
  readonly chainRuns: ReturnType<typeof chains>['chainRuns'];

  constructor(options: ConnectionOptions) {
    this.connection = new Connection(options);
    const services = chains(this.#call, this.connection.closed);
    this.chains = services.chains;
    this.chainRuns = services.chainRuns;
  }

  /** Closes the connection permanently; pending calls fail. */
  close(): void {
    this.connection.close();
  }

  /** Yields the events of a session, each once and in order. */
  follow(sessionId: string, options?: FollowOptions): AsyncGenerator<LogEvent> {
    return follow(this.connection, sessionId, options);
  }

  /** Runs a prompt through the daemon, with the same events as in this program. */
  launch<const Schema extends OutputSchema = OutputSchema>(
    request: RemoteRequest<Schema>,
  ): Promise<RemoteRun<StructuredOf<Schema>>> {
    return launchRemotely(this, request);
  }

  /** Follows the run of an existing task. Leaving the loop stops the reading, not the run. */
  async join(
    taskId: string,
    hooks: Pick<TaskRunHooks, 'onRequest' | 'requests' | 'onConnection' | 'onWorkspace'> = {},
  ): Promise<RemoteRun> {
    checkRequests(hooks.requests);
    return new RemoteRun(this, await this.tasks.get(taskId), { ...hooks, isJoined: true });
  }

  readonly status = {
    /** Returns the status of the daemon. */
    find: () => this.#call('status', 'find', {}),
  };

  readonly ids = {
    /** Finds records by an id prefix. */
    find: (query: QueryOf<'ids', 'find'>) => this.#call('ids', 'find', query),
  };

  readonly imports = {
    /** Sends a part of the log of a session; `done` completes the import. */
    create: (piece: { session_id: string; events: readonly LogEvent[]; done?: boolean }) =>
      this.#call('imports', 'create', { ...piece, events: [...piece.events] }),
  };

  readonly executors = {
    /** Lists the active executors. */
    find: () => this.#call('executors', 'find', {}),
    /** Claims a task and returns its details. */
    create: (facts: ExecutorFacts) => this.#call('executors', 'create', facts),
    /** Returns a task whose agent could not be started, because the machine is short of something. */
    giveBack: (reason: string) => this.#call('executors', 'giveBack', { reason }),
    /** Returns an abridged transcript of the session, for an agent that has lost its own session. */
    transcript: () => this.#call('executors', 'transcript', {}),
    /** Reports that the agent is about to get the prompt, so that the task is never requeued. */
    agentStarting: () => this.#call('executors', 'agentStarting', {}),
    /** Exchanges the token of an executor for a new one; with `renewsToken` the connection does it automatically. */
    renewToken: () => this.#call('executors', 'renewToken', {}),
    /** Sends the heartbeat of an executor with the idle time of its agent. */
    heartbeat: (sign: DataOf<'executors', 'heartbeat'>) =>
      this.#call('executors', 'heartbeat', sign),
    /** Waits for the next task of the session whose task the executor just finished. */
    next: (wait: DataOf<'executors', 'next'>) => this.#call('executors', 'next', wait),
  };
}
