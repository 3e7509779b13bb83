import type { ChainEngine } from '@baton/orchestra';
import type { LeaseRow, Store } from '@baton/store';
import type { Logger } from 'pino';
import type { Authenticator } from './access/authenticate.ts';
import type { Subscribe } from './compat/subscriptions.ts';
import type { ChangeNotifications } from './feed/change-notifications.ts';
import type { Feed } from './feed/feed.ts';
import type { WaitForTask } from './pool/ready-agents.ts';
import type { SealedBox } from './security/sealed-box.ts';
import type { TaskTokens } from './security/task-token.ts';
import type { Connection } from './service/definition.ts';

/** What the services of a daemon share. */
export type DaemonContext = {
  readonly daemonId: string;
  /** Where the daemon keeps its own files. */
  readonly folder: string;
  readonly store: Store;
  readonly feed: Feed;
  readonly changeNotifications: ChangeNotifications;
  readonly taskTokens: TaskTokens;
  readonly box: SealedBox;
  readonly log: Logger;
  /** Whether this daemon runs tasks itself, so that the folders of sessions are on its machine. */
  readonly runsTasks: boolean;
  /** For how long an executor may be silent before its task counts as lost. */
  readonly leaseMs: number;
  /** Starts what waits, as far as there is room; settles when that is decided. */
  startWaiting(): Promise<void>;
  /** Waits for a task that an executor with a ready agent can go on with. */
  waitForTask: WaitForTask;
  /** Queues a task again whose executor could not start the agent, because the machine is short of something. */
  giveBack(lease: LeaseRow, reason: string): Promise<void>;
  /** Why no task starts on this machine now; nothing while tasks can start. */
  shortage(): string | undefined;
  /** An executor says that it is stopping its agent; one that does not say so is killed. */
  confirmStop(taskId: string): void;
  /** Settles requests that need no user. */
  lookAtRequests(): Promise<void>;
  /** Runs the chains of this daemon. */
  readonly chains: ChainEngine;
  readonly authenticator: Authenticator;
  /** Lets a connection hear the service events of a session. */
  subscribe: Subscribe;
  /** Makes a connection act as the owner of a token. */
  showToken(connection: Connection, token: string): Promise<void>;
};

/** What there is without HTTP and WebSockets. */
export type SharedContext = Omit<DaemonContext, 'authenticator' | 'subscribe' | 'showToken'>;
