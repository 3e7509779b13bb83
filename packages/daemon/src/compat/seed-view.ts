import { type Entry, entryKeyOf, type LogEvent, nextEntry, withRetry } from '@baton/protocol';
import { noSession, type Store } from '@baton/store';
import type { Feed } from '../feed/feed.ts';
import { messageRecord, sessionRecord, taskRecord } from '../records/record-of.ts';
import { type SeedEvent, seedEventOf } from './seed-events.ts';
import { changesSession } from './session-watch.ts';

const WAIT_MS = 30_000;
const AT_ONCE = 500;
const OPEN_ENTRIES = 100;
const RETRY = { attempts: Number.POSITIVE_INFINITY, baseMs: 100, maxMs: 5000 };

/** Streamed messages have their own events. */
const IN_PIECES: ReadonlySet<string> = new Set(['message.delta', 'tool.updated']);
const CHANGES_TASK: ReadonlySet<string> = new Set([
  'prompt.queued',
  'prompt.edited',
  'task.started',
  'run.identified',
  'permission.requested',
  'permission.resolved',
  'question.requested',
  'question.resolved',
  'stop.requested',
  'run.completed',
]);

type Follower = { listeners: number; stop: AbortController; begun: Promise<void> };

type SeedViewOptions = {
  tell(event: SeedEvent): void;
  /** Called with the error that ends the events of a session. */
  onFailure(sessionId: string, error: unknown): void;
};

/** Follows the subscribed sessions and emits each event once, as a service event. */
export class SeedView {
  #store: Store;
  #feed: Feed;
  #tell: SeedViewOptions['tell'];
  #onFailure: SeedViewOptions['onFailure'];
  #followers = new Map<string, Follower>();

  constructor(store: Store, feed: Feed, { tell, onFailure }: SeedViewOptions) {
    this.#store = store;
    this.#feed = feed;
    this.#tell = tell;
    this.#onFailure = onFailure;
  }

  /** True if a session has subscribers. */
  isFollowed(sessionId: string): boolean {
    return this.#followers.has(sessionId);
  }

  /** Subscribes to a session; returns the unsubscribe function. */
  async follow(sessionId: string): Promise<() => void> {
    const known = this.#followers.get(sessionId);
    const follower = known ?? this.#follower(sessionId);
    follower.listeners += 1;
    this.#followers.set(sessionId, follower);
    const stop = () => {
      follower.listeners -= 1;
      if (follower.listeners > 0) return;
      follower.stop.abort();
      if (this.#followers.get(sessionId) === follower) this.#followers.delete(sessionId);
    };
    try {
      await follower.begun;
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  #follower(sessionId: string): Follower {
    const stop = new AbortController();
    return { listeners: 0, stop, begun: this.#begin(sessionId, stop.signal) };
  }

  async #begin(sessionId: string, signal: AbortSignal): Promise<void> {
    const session = await this.#store.records.sessions.get(sessionId);
    if (!session) throw noSession(sessionId);
    const entries = await this.#store.entries(sessionId, { limit: OPEN_ENTRIES });
    const open = new Map(entries.filter((each) => each.open).map((each) => [each.key, each]));
    this.#run(sessionId, session.head_cursor, open, signal).catch((error) => {
      // The next subscriber starts from scratch.
      if (!signal.aborted) this.#followers.delete(sessionId);
      this.#onFailure(sessionId, error);
    });
  }

  async #run(
    sessionId: string,
    from: number,
    open: Map<string, Entry>,
    signal: AbortSignal,
  ): Promise<void> {
    for (let after = from; !signal.aborted && !this.#feed.isClosed; ) {
      const events = await this.#next(sessionId, after, signal);
      for (const event of events) {
        if (signal.aborted) return;
        after = event.cursor;
        this.#tellOf(sessionId, event, open);
      }
      await this.#again(() => this.#tellOfRecords(sessionId, events), signal);
    }
  }

  /** Retries during a short database outage. */
  async #next(sessionId: string, after: number, signal: AbortSignal): Promise<LogEvent[]> {
    const ask = { sessionId, after, limit: AT_ONCE, waitMs: WAIT_MS };
    return (await this.#again(() => this.#feed.next(ask), signal))?.events ?? [];
  }

  #again<Found>(find: () => Promise<Found>, signal: AbortSignal): Promise<Found | undefined> {
    const tried = (): Promise<{ found: Found } | undefined> =>
      find().then(
        (found) => ({ found }),
        () => undefined,
      );
    const isTransient = (result: unknown) => result === undefined && !this.#feed.isClosed;
    return withRetry<{ found: Found } | undefined>(tried, { ...RETRY, isTransient, signal }).then(
      (result) => result?.found,
    );
  }

  #tellOf(sessionId: string, event: LogEvent, open: Map<string, Entry>): void {
    const key = entryKeyOf(event);
    const before = key === undefined ? undefined : open.get(key);
    const entry = nextEntry(before, event);
    const place = entry?.cursor ?? event.cursor;
    const isNew = entry !== undefined && entry.cursor !== before?.cursor;
    const isChanged = entry !== before && !IN_PIECES.has(event.type);
    if (entry && (isNew || isChanged)) {
      const data = messageRecord(sessionId, entry);
      this.#tell({ service: 'messages', name: isNew ? 'created' : 'patched', data });
    }
    const tellable = (each: LogEvent) =>
      seedEventOf(sessionId, each, () => `${sessionId}.${place}`);
    const start = isNew ? unsaidStart(event) : undefined;
    const started = start && tellable(start);
    if (started) this.#tell(started);
    const told = tellable(event);
    // The event was emitted when the answer was given.
    const isKnown = event.type === 'permission.resolved' && isAnswered(before);
    if (told && !isKnown) this.#tell(told);
    if (entry?.open) open.set(entry.key, entry);
    else if (key !== undefined) open.delete(key);
  }

  /** Emits the session and its tasks as they are after some events. */
  async #tellOfRecords(sessionId: string, events: readonly LogEvent[]): Promise<void> {
    const { sessions, tasks } = this.#store.records;
    const isChanged = events.some(changesSession);
    const touched = touchedTasks(events);
    const session = isChanged ? await sessions.get(sessionId) : undefined;
    const rows = await Promise.all([...touched.keys()].map((taskId) => tasks.get(taskId)));
    // Emitted only when everything is loaded, so that a retry does not emit twice.
    if (session) this.#tell({ service: 'sessions', name: 'patched', data: sessionRecord(session) });
    for (const task of rows) {
      const name = (task && touched.get(task.task_id)) ?? 'patched';
      if (task) this.#tell({ service: 'tasks', name, data: taskRecord(task) });
    }
  }
}

/** The start of a message that arrived as a chunk or as a whole. */
function unsaidStart(event: LogEvent): LogEvent | undefined {
  if (event.type !== 'message.delta' && event.type !== 'message.completed') return undefined;
  const { text: _text, ...same } = event;
  return { ...same, type: 'message.started' } as LogEvent;
}

function isAnswered(entry: Entry | undefined): boolean {
  return entry?.kind === 'permission' && entry.answer !== undefined;
}

/** Tasks whose records some events have changed. */
function touchedTasks(events: readonly LogEvent[]): Map<string, 'created' | 'patched'> {
  const touched = new Map<string, 'created' | 'patched'>();
  for (const event of events) {
    if (!CHANGES_TASK.has(event.type) || !('taskId' in event) || !event.taskId) continue;
    if (event.type === 'prompt.queued') touched.set(event.taskId, 'created');
    else if (!touched.has(event.taskId)) touched.set(event.taskId, 'patched');
  }
  return touched;
}
