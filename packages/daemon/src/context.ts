import type { Store } from '@baton/store';
import type { Logger } from 'pino';
import type { Feed } from './feed/feed.ts';
import type { SealedBox } from './security/sealed-box.ts';
import type { TaskTokens } from './security/task-token.ts';
import type { Subscribe } from './seed-view/subscriptions.ts';

/** What a daemon can say of itself. */
export type DaemonFacts = {
  readonly version: string;
  readonly startedAt: number;
  /** So many tasks run here at the same time; none when they wait for executors from elsewhere. */
  readonly slots: number;
};

/** What the services of a daemon share. */
export type DaemonContext = {
  readonly daemonId: string;
  readonly facts: DaemonFacts;
  readonly store: Store;
  readonly feed: Feed;
  readonly taskTokens: TaskTokens;
  readonly box: SealedBox;
  readonly log: Logger;
  /** For how long an executor may be silent before its task counts as lost. */
  readonly leaseMs: number;
  /** Starts what waits, as far as there is room; settles when that is decided. */
  startWaiting(): Promise<void>;
  /** Lets a connection hear the service events of a session. */
  subscribe: Subscribe;
};
