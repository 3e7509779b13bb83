import { hkdfSync } from 'node:crypto';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Baton } from '@baton/agents/registry/baton';
import { createBaton } from '@baton/agents/registry/create-baton';
import { BatonError } from '@baton/protocol';
import { openStore, outageOf, type Store } from '@baton/store';
import {
  type HelperCommand,
  operationsFor,
  type PlaceRequest,
  WorkspaceHome,
} from '@baton/workspaces';
import type { DestinationStream } from 'pino';
import type { Server as SocketServer } from 'socket.io';
import { addUser, linkFor } from './access/add-user.ts';
import { createApp } from './app.ts';
import { ChainKeeper } from './chains/chain-keeper.ts';
import type { SharedContext } from './context.ts';
import { Presence } from './daemon-heartbeat.ts';
import { ChangeNotifications } from './feed/change-notifications.ts';
import { Feed } from './feed/feed.ts';
import { takeFolder } from './folder.ts';
import { HourlyJob } from './hourly-job.ts';
import { isLoopback, listen, type Tls } from './http/listen.ts';
import { createLog, type LogLevel } from './logs/create-log.ts';
import { Metrics } from './metrics/metrics.ts';
import { endGoneTasks } from './pool/end-gone-tasks.ts';
import { scriptVariables } from './pool/equipment.ts';
import { ExecutorPool, type PoolContext } from './pool/executor-pool.ts';
import type { ExecutorCommand } from './pool/start-executor.ts';
import { RequestKeeper } from './requests/request-keeper.ts';
import { removeExpired } from './retention/retention.ts';
import { checkMasterKey, hasMasterKey } from './security/check-master-key.ts';
import { masterKey } from './security/master-key.ts';
import { SealedBox } from './security/sealed-box.ts';
import { TaskTokens } from './security/task-token.ts';
import { readIsolation } from './settings/read-isolation.ts';
import { startWarnings } from './start-warnings.ts';
import { tidyWorkspaces } from './workspaces/tidy-workspaces.ts';
import { WorkspaceScriptRuns } from './workspaces/workspace-scripts.ts';

const LEASE_MS = 30_000;
const STOP_MS = 10_000;
/** Executors confirm a stop several times in this time. */
const CONFIRM_STOP_MS = 2000;
/** Folder of the executors' spools, inside the daemon's folder. */
const SPOOL = 'spool';
/** The default number of concurrent tasks. */
const DEFAULT_SLOTS = 4;

export type DaemonOptions = {
  /** Folder of the database and the master key, unless configured otherwise. */
  folder: string;
  /** The agents that tasks can be given to; the built-in ones by default. */
  baton?: Baton | undefined;
  databaseUrl?: string | undefined;
  /** True to start with an empty database although the folder has had another one. */
  isNew?: boolean | undefined;
  /** If this is the default port and it is taken, the next free one is used; 0 for any free port. */
  port?: number | undefined;
  host?: string | undefined;
  /** TLS for clients; local executors use a separate loopback address. */
  tls?: Tls | undefined;
  /** The address of the proxy in front of the daemon, if there is one. */
  publicUrl?: string | undefined;
  /** Addresses of proxies in front of it, or `loopback`; they are trusted to report the address of a client. */
  trustProxy?: readonly string[] | undefined;
  /** Log level of standard error, as JSON; only problems by default. */
  logLevel?: LogLevel | undefined;
  /** Destination of the log instead of standard error. */
  logTo?: DestinationStream | undefined;
  leaseMs?: number | undefined;
  /** True to upgrade the database even while other daemons use it. */
  mayMigrate?: boolean | undefined;
  /** Called with progress messages while the database is upgraded. */
  onUpgrade?: ((line: string) => void) | undefined;
  /** Settings of local executors; without them, tasks wait for executors on other machines. */
  executors?:
    | {
        command: ExecutorCommand;
        slots?: number | undefined;
        /** Address of this daemon for its executors, if it differs from its own. */
        url?: string | undefined;
      }
    | undefined;
  /** Program that reads and writes the files of users in the isolation of agents. */
  workspaceHelper?: HelperCommand | undefined;
  /** Folder of the built page; without it, no page is served. */
  pageFolder?: string | undefined;
  /** Time limit for an executor to stop its agent; then it is killed. */
  stopMs?: number | undefined;
  /** Maximum time between confirmations of a stop; then the executor is killed. */
  confirmStopMs?: number | undefined;
};

export type Daemon = {
  readonly url: string;
  readonly store: Store;
  readonly taskTokens: TaskTokens;
  /** One-time login link of the owner; only at the first start. */
  readonly firstLink: string | undefined;
  /** Warnings about an unsafe setup, as sentences for the caller to print. */
  readonly warnings: readonly string[];
  /** Counts its own tasks, and all that are queued. */
  countTasks(): Promise<{ running: number; awaitingInput: number; queued: number }>;
  /** Stops its executors, unless they are detached, and ends. */
  close(how?: { detach?: boolean }): Promise<void>;
};

/** Starts a daemon: the database, the services and the servers. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    const failures: unknown[] = [];
    for (const each of closers.splice(0).reverse()) {
      try {
        await each();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  try {
    // Executors work elsewhere, so a folder is told from the root on.
    return await started({ ...options, folder: resolve(options.folder) }, closers, close);
  } catch (error) {
    await close().catch(() => {});
    throw outageOf(error) ?? error;
  }
}

/** Starts a daemon. Cleanup functions are added to `closers`, and run in reverse order. */
async function started(
  options: DaemonOptions,
  closers: (() => unknown)[],
  close: () => Promise<void>,
): Promise<Daemon> {
  const { folder, host = '127.0.0.1', logLevel = 'warn', leaseMs = LEASE_MS } = options;
  const log = createLog(logLevel, options.logTo);
  const { daemonId, leave } = takeFolder(folder);
  closers.push(leave);
  const metrics = new Metrics();
  const file = join(folder, 'baton.db');
  if (!options.databaseUrl && !options.isNew) refuseLostDatabase(folder, file);
  const store = await openStore({
    url: options.databaseUrl ?? file,
    onCommit: (milliseconds) => metrics.commit(milliseconds),
    onDamage: (error) => log.error({ err: error, hint: error.hint }, error.message),
    upgrade: { daemonId, isForced: options.mayMigrate, tell: options.onUpgrade },
  });
  closers.push(() => store.close());
  const isNew = !(await hasMasterKey(store));
  const key = masterKey({ file: join(folder, 'master.key'), isNew });
  await checkMasterKey(store, key);
  const taskKey = derived(key, 'task tokens');
  const slots = options.executors ? (options.executors.slots ?? DEFAULT_SLOTS) : 0;
  let pool: ExecutorPool | undefined;
  const baton = options.baton ?? (await createBaton({ settings: 'none' }));
  const workspaces = new WorkspaceHome({ inherited: () => scriptVariables({ baton, store }) });
  const operations = async (request: PlaceRequest) => {
    const isolation = await readIsolation(store, folder);
    const parts = { isolation, backends: baton.backends(), command: options.workspaceHelper };
    return operationsFor(workspaces, parts, request);
  };
  const scriptRuns = new WorkspaceScriptRuns(workspaces, log);
  closers.push(() => scriptRuns.close());
  const context: SharedContext = {
    baton,
    daemonId,
    folder,
    store,
    workspaces,
    operations,
    scriptRuns,
    feed: new Feed(store),
    changeNotifications: new ChangeNotifications(store),
    log,
    box: new SealedBox(derived(key, 'secrets at rest')),
    taskTokens: new TaskTokens({ key: taskKey, lifeMs: 2 * leaseMs, now: store.now }),
    leaseMs,
    runsTasks: slots > 0,
    startWaiting: async () => pool?.wake(),
    waitForTask: async (claims, waitMs) => (await pool?.waitForTask(claims, waitMs)) ?? 'none',
    giveBack: async (lease, reason) => pool?.giveBack(lease, reason),
    shortage: () => pool?.shortage,
    confirmStop: (taskId) => pool?.confirmStop(taskId),
    lookAtRequests: () => keeper.lookAtAll(),
    get chains() {
      return chains.engine;
    },
  };
  const { feed, changeNotifications, taskTokens } = context;
  const keeper = new RequestKeeper(context);
  const chains = new ChainKeeper(context);
  closers.push(
    () => keeper.close(),
    () => feed.close(),
    () => changeNotifications.close(),
  );
  const { publicUrl, pageFolder, trustProxy = [] } = options;
  const doors = { isLocal: isLoopback(host), publicUrl };
  const app = createApp(context, { doors, metrics, trustProxy, pageFolder });
  if (options.executors) await endGoneTasks(context, join(folder, SPOOL));
  const portFile = join(folder, 'local-port');
  const listening = await listen(app, {
    ...{ host, port: options.port, tls: options.tls, portFile },
    stallMs: leaseMs,
  });
  const { url, localUrl } = listening;
  closers.push(() => listening.close());
  const { io } = app as unknown as { io: SocketServer };
  const sockets = () => io.sockets.sockets.size;
  closers.push(metrics.watch({ store, followers: () => feed.waiting, sockets }));
  const presence = new Presence({ store, log, daemonId, url: publicUrl ?? url, slots });
  closers.push(() => presence.close());
  const retention = new HourlyJob(log, () => removeExpired(store, log));
  closers.push(() => retention.close());
  // Only the machine that has the worktrees can tidy them.
  const workspaceJob =
    slots > 0 ? new HourlyJob(log, () => tidyWorkspaces(context, log)) : undefined;
  closers.push(() => workspaceJob?.close());
  pool = startPool(context, options, localUrl);
  // A daemon that cannot start leaves what runs to the next one.
  closers.push(() => pool?.close({ detach: true }));
  await presence.ready();
  await keeper.lookAtAll();
  await pool?.begin();
  // A daemon that cannot start leaves its chains to the next one.
  closers.push(() => chains.close());
  await chains.begin();
  const link = await firstLink(store, publicUrl ?? url);
  const warnings = await startWarnings(store, { folder, runsTasks: slots > 0 });
  return {
    url,
    warnings,
    store,
    taskTokens,
    firstLink: link,
    async countTasks() {
      const own = (await store.leases.ofDaemon(daemonId)).map(({ task_id }) => task_id);
      const awaitingInput = await store.queue.awaitingInput(own);
      const running = own.length - awaitingInput;
      return { running, awaitingInput, queued: await store.queue.waiting() };
    },
    async close(how) {
      try {
        await scriptRuns.close();
        await chains.close();
        await pool?.close(how);
      } finally {
        await close();
      }
    },
  };
}

/** Rejects a folder whose database is missing: a moved or half-restored folder must not be mistaken for a new one. */
function refuseLostDatabase(folder: string, file: string): void {
  const isThere = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (isThere || !existsSync(join(folder, SPOOL))) return;
  throw new BatonError('store_unavailable', `The database ${file} is missing or empty.`, {
    hint: 'Restore it from a backup, or begin with an empty one: baton serve --new',
  });
}

function startPool(
  context: PoolContext,
  { executors, folder, stopMs = STOP_MS, confirmStopMs = CONFIRM_STOP_MS }: DaemonOptions,
  url: string,
): ExecutorPool | undefined {
  if (!executors) return undefined;
  const spoolFolder = join(folder, SPOOL);
  mkdirSync(spoolFolder, { recursive: true, mode: 0o700 });
  const { command, slots = DEFAULT_SLOTS } = executors;
  const address = executors.url ?? url;
  const times = { stopMs, confirmStopMs };
  return new ExecutorPool(context, { command, slots, url: address, spoolFolder, ...times });
}

/** Derives a separate key for each use, so that a value made for one is useless for another. */
function derived(key: Buffer, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `baton ${use}`, 32));
}

/** Creates the owner at the first start, and returns a login link. */
async function firstLink(store: Store, url: string): Promise<string | undefined> {
  if ((await store.records.users.count()) > 0) return undefined;
  const owner = await addUser(store, { name: 'owner', role: 'owner' });
  return `${url}/#link=${await linkFor(store, owner)}`;
}
