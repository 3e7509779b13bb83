import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { BatonError, type Entry } from '@baton/protocol';
import { ChainRuns } from './chains/chain-runs.ts';
import { removeDrafts } from './engine/backup-sqlite.ts';
import { checkSqlite } from './engine/check-sqlite.ts';
import type { Engine } from './engine/engine.ts';
import { databaseKind, openFailure } from './engine/open-failure.ts';
import { openPostgres } from './engine/postgres.ts';
import { openSqlite } from './engine/sqlite.ts';
import { GatewayChannels } from './gateway/gateway-channels.ts';
import { GatewayEvents } from './gateway/gateway-events.ts';
import { GatewaySessions } from './gateway/gateway-sessions.ts';
import { GatewaySignatures } from './gateway/gateway-signatures.ts';
import { SessionImport } from './log/import-session.ts';
import { type RebuildProgress, rebuild } from './log/rebuild.ts';
import { SessionLog } from './log/session-log.ts';
import { beforeUpgrade, type UpgradeOptions } from './migrate/before-upgrade.ts';
import { migrate } from './migrate/migrate.ts';
import {
  type EntryQuery,
  readActiveTasks,
  readEntries,
  readFileEntries,
} from './projection/read-entries.ts';
import { readTranscript, type TranscriptPart } from './projection/read-transcript.ts';
import { TaskQueue } from './queue/claim.ts';
import { Leases } from './queue/leases.ts';
import {
  type AttachmentInfo,
  attachmentInfo,
  attachmentParts,
  listAttachments,
} from './records/attachments.ts';
import { type FoundId, findIds } from './records/find-ids.ts';
import {
  type ListedSession,
  listOpenSessions,
  listSessions,
  listWorktreeSessions,
  type SessionListQuery,
  workspacesIn,
} from './records/list-sessions.ts';
import { type ListedTask, listTasks, type TaskListQuery } from './records/list-tasks.ts';
import { RawOutput } from './records/raw-output.ts';
import { type Records, recordsOf } from './records/records.ts';
import { Removal } from './records/removal.ts';
import { sumUsage, type UsageQuery, type UsageSum } from './records/usage.ts';
import type { SessionRow } from './schema/tables.ts';
import { type SessionMoved, WakeUps } from './wake-ups.ts';

export type StoreOptions = {
  /** A `postgres://` address, the path of an SQLite file, or `:memory:`. */
  url: string;
  /** The clock; the system clock by default. */
  now?: () => number;
  /** Told how many milliseconds a commit to the log took. */
  onCommit?: ((milliseconds: number) => void) | undefined;
  /** Told when a large SQLite file, which is checked in the background, turns out to be damaged. */
  onDamage?: ((error: BatonError) => void) | undefined;
  /** Options for upgrading a database of an earlier version; `never` rejects such a database. */
  upgrade?: UpgradeOptions | 'never' | undefined;
};

/** All persistent data of Baton. */
export type Store = {
  readonly engine: Engine['kind'];
  readonly records: Records;
  readonly rawOutput: RawOutput;
  readonly log: SessionLog;
  readonly imports: SessionImport;
  readonly queue: TaskQueue;
  readonly leases: Leases;
  readonly chainRuns: ChainRuns;
  readonly gatewayChannels: GatewayChannels;
  readonly gatewayEvents: GatewayEvents;
  readonly gatewaySessions: GatewaySessions;
  readonly gatewaySignatures: GatewaySignatures;
  readonly wakeUps: WakeUps;
  readonly now: () => number;
  /** Reads entries of a transcript as they are at the head of the session, the oldest first. */
  entries(sessionId: string, query: EntryQuery): Promise<Entry[]>;
  /** Reads a part of a transcript from one snapshot: events after its cursor continue it. */
  transcript(sessionId: string, query: EntryQuery): Promise<TranscriptPart>;
  /** Reads the entries that may contain file changes, oldest first. */
  fileEntries(sessionId: string): AsyncGenerator<Entry>;
  /** Lists the sessions that have tasks which have not ended. */
  openSessions(): Promise<SessionRow[]>;
  /** The sessions that work in worktrees, with what their logs say about these. */
  worktreeSessions(): Promise<Pick<SessionRow, 'session_id' | 'workspace'>[]>;
  /** Returns the tasks whose agents ran commands, or other tools that may change any file. */
  activeTasks(sessionId: string): Promise<ReadonlySet<string>>;
  /** Lists the attachments of a session, without their contents. */
  attachments(sessionId: string): Promise<AttachmentInfo[]>;
  /** Returns an attachment, without its content. */
  attachment(id: string): Promise<AttachmentInfo | undefined>;
  /** Reads the content of an attachment lazily, part by part. */
  attachmentParts(id: string, partBytes: number): AsyncGenerator<Uint8Array>;
  /** Returns a page of the matching sessions, most recently updated first, and the total number of matches. */
  sessionList(query: SessionListQuery): Promise<{ rows: ListedSession[]; total: number }>;
  /** Reads some of the tasks that match, and how many there are in all. */
  taskList(query: TaskListQuery): Promise<{ rows: ListedTask[]; total: number }>;
  /** Sums up the usage of tasks. */
  usage(query: UsageQuery): Promise<UsageSum[]>;
  readonly removal: Removal;
  /** Rebuilds the tables that are derived from the log. */
  rebuild(tell?: (progress: RebuildProgress) => void): Promise<number>;
  /** The folders in which agents have worked. */
  workspaces(): Promise<string[]>;
  /** Finds sessions, tasks and requests by the beginning of an id. */
  findIds(beginning: string, limit: number): Promise<FoundId[]>;
  close(): Promise<void>;
};

/** Opens the database, brings it up to date and begins to listen to other daemons. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { url, now = Date.now, onCommit, upgrade = {} } = options;
  try {
    const engine = databaseKind(url) === 'postgres' ? openPostgres(url) : checkedSqlite(options);
    try {
      await migrate(engine.db, async (pending) => {
        if (upgrade === 'never') throw needsUpgrade();
        await beforeUpgrade(engine, url, { ...upgrade, pending, now: now() });
      });
      return await assembled(engine, now, onCommit);
    } catch (error) {
      await engine.close();
      throw error;
    }
  } catch (error) {
    throw openFailure(error, url);
  }
}

function needsUpgrade(): BatonError {
  return new BatonError('conflict', 'The database was written by an earlier version of Baton.', {
    hint: 'Start the daemon of this version with "baton serve": it upgrades the database.',
  });
}

function checkedSqlite({ url, onDamage }: StoreOptions): Engine {
  const engine = openSqlite(url);
  if (url === ':memory:') return engine;
  try {
    const endCheck = checkSqlite(url, { onDamage });
    removeDrafts(dirname(url));
    return {
      ...engine,
      async close() {
        await endCheck();
        await engine.close();
      },
    };
  } catch (error) {
    void engine.close();
    throw error;
  }
}

async function assembled(
  engine: Engine,
  now: () => number,
  onCommit: StoreOptions['onCommit'],
): Promise<Store> {
  const wakeUps = new WakeUps(randomUUID());
  await engine.listen((message) => wakeUps.hear(message));
  const announce = (moved: SessionMoved) => wakeUps.announcement(moved);
  const log = new SessionLog(engine, {
    now,
    onCommit,
    announce,
    onCommitted: (moved) => wakeUps.emit('session', moved),
  });
  return {
    engine: engine.kind,
    records: recordsOf(engine.db),
    rawOutput: new RawOutput(engine.db, now),
    entries: (sessionId, query) => readEntries(engine.db, sessionId, query),
    transcript: (sessionId, query) => readTranscript(engine, sessionId, query),
    fileEntries: (sessionId) => readFileEntries(engine, sessionId),
    openSessions: () => listOpenSessions(engine.db),
    worktreeSessions: () => listWorktreeSessions(engine.db),
    activeTasks: (sessionId) => readActiveTasks(engine, sessionId),
    attachments: (sessionId) => listAttachments(engine.db, sessionId),
    attachment: (id) => attachmentInfo(engine.db, id),
    attachmentParts: (id, partBytes) => attachmentParts(engine.db, id, partBytes),
    sessionList: (query) => listSessions(engine, query),
    taskList: (query) => listTasks(engine, query),
    usage: (query) => sumUsage(engine, query),
    removal: new Removal(engine),
    rebuild: (tell) => rebuild(engine, tell),
    workspaces: () => workspacesIn(engine.db),
    findIds: (beginning, limit) => findIds(engine.db, beginning, limit),
    log,
    imports: new SessionImport(engine, {
      now,
      announce,
      onImported: (moved) => wakeUps.emit('session', moved),
    }),
    queue: new TaskQueue(engine, log, now),
    leases: new Leases(engine.db, now),
    chainRuns: new ChainRuns(engine, wakeUps, now),
    gatewayChannels: new GatewayChannels(engine),
    gatewayEvents: new GatewayEvents(engine, now),
    gatewaySessions: new GatewaySessions(engine.db, now),
    gatewaySignatures: new GatewaySignatures(engine.db, now),
    wakeUps,
    now,
    async close() {
      await log.idle();
      await engine.close();
    },
  };
}
