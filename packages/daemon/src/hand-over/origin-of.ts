import type { Registry } from '@baton/agents/registry/registry';
import { isFinal, type TaskStatus } from '@baton/protocol';
import type { SessionRow, Store, TaskRow } from '@baton/store';
import { handOver } from './hand-over.ts';

/** Starting point of a task's agent in its session. */
export type Origin = {
  /** The agent's own session. */
  resume: string | null;
  /** True to continue in a fork of the agent's session. */
  fork: boolean;
  /** Summary for an agent that was not part of the conversation. */
  handOver: string | null;
};

type Fork = { sessionId: string; cursor: number };

const NOTHING: Origin = { resume: null, fork: false, handOver: null };
const MAX_HAND_OVER = 24_000;
const LAST_ENTRIES = 500;

/**
 * Decides how a task continues its session: in the native session for the same agent, in a fork of it after a fork, else
 * with a hand-over.
 */
export async function originOf(
  { store, registry }: { store: Store; registry: Registry },
  session: SessionRow,
  task: TaskRow,
): Promise<Origin> {
  if (session.native_session_id !== null && session.native_backend === task.backend) {
    return { ...NOTHING, resume: session.native_session_id };
  }
  const own = await told(store, session, task.position);
  if (own !== undefined) return { ...NOTHING, handOver: own };
  return session.forked_from === null
    ? NOTHING
    : originOfFork(store, registry, { forked_from: session.forked_from, cwd: session.cwd }, task);
}

/** An abridged transcript of the session of a task, for an agent that has lost its own session; null if it is empty. */
export async function transcriptFor(
  store: Store,
  session: SessionRow,
  task: TaskRow,
): Promise<string | null> {
  const isResumed = task.resumed_with !== null;
  const own = await told(store, session, isResumed ? session.head_cursor + 1 : task.position);
  if (own !== undefined || session.forked_from === null) return own ?? null;
  const { sessionId, cursor } = JSON.parse(session.forked_from) as Fork;
  const parent = await store.records.sessions.get(sessionId);
  return (parent && (await told(store, parent, cursor + 1))) ?? null;
}

async function originOfFork(
  store: Store,
  registry: Registry,
  { forked_from, cwd }: Pick<SessionRow, 'cwd'> & { forked_from: string },
  task: TaskRow,
): Promise<Origin> {
  const { sessionId, cursor } = JSON.parse(forked_from) as Fork;
  const parent = await store.records.sessions.get(sessionId);
  if (!parent) return NOTHING;
  const hasFork = registry.find(task.backend)?.capabilities.features.fork ?? false;
  // The agent's own session names files of its folder: in another folder, the agent would go on in the old one.
  const canFork = hasFork && parent.cwd === cwd;
  const native = canFork ? await nativeAt(store, parent, cursor, task.backend) : undefined;
  if (native !== undefined) return { resume: native, fork: true, handOver: null };
  const all = await told(store, parent, cursor + 1);
  if (all !== undefined) return { ...NOTHING, handOver: all };
  // Nothing was said in the copy before it was copied again.
  return parent.forked_from === null
    ? NOTHING
    : originOfFork(store, registry, { forked_from: parent.forked_from, cwd }, task);
}

/** The agent's own session, when it still is as it was at a cursor. */
async function nativeAt(
  store: Store,
  { session_id, native_backend, native_session_id }: SessionRow,
  cursor: number,
  backend: string,
): Promise<string | undefined> {
  if (native_session_id === null || native_backend !== backend) return undefined;
  const tasks = await store.records.tasks.find({ where: { session_id } });
  const begun = tasks.filter(({ started_at }) => started_at !== null);
  const isSame = begun.every(
    ({ position, status }) => position <= cursor && isFinal(status as TaskStatus),
  );
  return isSame ? native_session_id : undefined;
}

async function told(
  store: Store,
  session: SessionRow,
  before: number,
): Promise<string | undefined> {
  const entries = await store.entries(session.session_id, { before, limit: LAST_ENTRIES });
  const isWhole = entries.length < LAST_ENTRIES;
  const [first] = isWhole ? [] : await firstPrompt(store, session.session_id);
  const all = first ? [first, ...entries] : entries;
  return handOver(all, { maxLength: MAX_HAND_OVER, cwd: session.cwd });
}

/** The entry with which a conversation began. */
async function firstPrompt(store: Store, sessionId: string) {
  const [task] = await store.records.tasks.find({
    where: { session_id: sessionId },
    orderBy: ['position', 'asc'],
    limit: 1,
  });
  return task ? store.entries(sessionId, { before: task.position + 1, limit: 1 }) : [];
}
