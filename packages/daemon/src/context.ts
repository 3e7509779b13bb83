import type { Baton } from '@baton/agents/registry/baton';
import type { ChainEngine } from '@baton/orchestra';
import type { LeaseRow, Store } from '@baton/store';
import type { PlaceRequest, WorkspaceHome, WorkspaceOperations } from '@baton/workspaces';
import type { Logger } from 'pino';
import type { Authenticator } from './access/authenticate.ts';
import type { ChangeNotifications } from './feed/change-notifications.ts';
import type { Feed } from './feed/feed.ts';
import type { SealedBox } from './security/sealed-box.ts';
import type { TaskClaims, TaskTokens } from './security/task-token.ts';
import type { Connection } from './service/definition.ts';
import type { WorkspaceScriptRuns } from './workspaces/workspace-scripts.ts';

/** Response to an executor with a ready agent: its next task, `nothing yet`, or `none` if there will be none for it. */
export type NextTask = LeaseRow | 'nothing yet' | 'none';

/** State and functions that the services of a daemon share. */
export type DaemonContext = {
  readonly daemonId: string;
  /** Folder of the daemon's own files. */
  readonly folder: string;
  /** The agents of this machine; their settings are read for the folder of each task. */
  readonly baton: Baton;
  readonly store: Store;
  /** The workspaces of this machine. */
  readonly workspaces: WorkspaceHome;
  /** Returns the operations on files, which take place in the isolation of agents. */
  readonly operations: (request: PlaceRequest) => Promise<WorkspaceOperations>;
  /** Setups and dev servers in worktrees. */
  readonly scriptRuns: WorkspaceScriptRuns;
  readonly feed: Feed;
  readonly changeNotifications: ChangeNotifications;
  readonly taskTokens: TaskTokens;
  readonly box: SealedBox;
  readonly log: Logger;
  /** True if this daemon runs tasks itself, so that the folders of sessions are on its machine. */
  readonly runsTasks: boolean;
  /** Time without a heartbeat after which a task counts as lost. */
  readonly leaseMs: number;
  /** Starts queued tasks while there are free slots; resolves once the decision is made. */
  startWaiting(): Promise<void>;
  /** Waits for a task that an executor with a ready agent can continue with. */
  readonly waitForTask: (claims: TaskClaims, waitMs: number) => Promise<NextTask>;
  /** Requeues a task whose executor could not start the agent because the machine is short of resources. */
  giveBack(lease: LeaseRow, reason: string): Promise<void>;
  /** Returns the reason why no task starts on this machine now; undefined while tasks can start. */
  shortage(): string | undefined;
  /** Called when an executor confirms that it is stopping its agent; without a confirmation the executor is killed. */
  confirmStop(taskId: string): void;
  /** Settles requests that need no user. */
  lookAtRequests(): Promise<void>;
  /** Runs the chains of this daemon. */
  readonly chains: ChainEngine;
  readonly authenticator: Authenticator;
  /** Subscribes a connection to the service events of a session until it disconnects. */
  readonly subscribe: (sessionId: string, connection: Connection) => Promise<void>;
  /** Makes a connection act as the owner of a token. */
  showToken(connection: Connection, token: string): Promise<void>;
};

/** The context without HTTP and WebSockets. */
export type SharedContext = Omit<DaemonContext, 'authenticator' | 'subscribe' | 'showToken'>;
