import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { BatonError, type FileDifference } from '@baton/protocol';
import { type ChangeReport, MAX_REPORTED_PATCH_BYTES } from '@baton/protocol/wire';
import type { SessionRow, Store } from '@baton/store';
import type { FoundChanges } from '@baton/workspaces';
import type { TaskClaims } from '../../security/task-token.ts';

const unpack = promisify(gunzip);

type Query = { compare: ChangeReport['compare']; taskId?: string | undefined };

/** Stores what an executor reports about the files of its session; a later report replaces an earlier one. */
export async function storeReport(
  store: Store,
  { sessionId, taskId, executorId }: TaskClaims,
  { compare, from, to, patch, ...facts }: ChangeReport,
): Promise<void> {
  const packed = patch === null ? null : Buffer.from(patch, 'base64');
  if (packed) await patchIn(packed);
  const executor = await store.records.executors.get(executorId);
  await store.records.reportedChanges.put({
    change_id: `${compare}:${compare === 'turn' ? taskId : sessionId}`,
    session_id: sessionId,
    task_id: taskId,
    compare,
    host: executor?.host ?? '',
    from_tree: from,
    to_tree: to,
    facts: JSON.stringify(facts),
    patch: packed,
    at: store.now(),
  });
}

/** Changes of a session as its executor reported them last, with the time of the report. */
export type ReportedChanges = FoundChanges & { at: number };

/** Finds the reported changes of a session; undefined if there are none. */
export async function reportedChanges(
  store: Store,
  { session_id }: Pick<SessionRow, 'session_id'>,
  { compare, taskId }: Query,
): Promise<ReportedChanges | undefined> {
  const ofTask = compare === 'turn' && taskId !== undefined ? { task_id: taskId } : {};
  const [row] = await store.records.reportedChanges.find({
    where: { session_id, compare, ...ofTask },
    orderBy: ['at', 'desc'],
    limit: 1,
  });
  if (!row) return undefined;
  const facts = JSON.parse(row.facts) as Omit<ChangeReport, 'compare' | 'from' | 'to' | 'patch'>;
  return { ...facts, from: row.from_tree, to: row.to_tree, at: row.at };
}

/** The patch between two reported trees, of one file or all; undefined if these trees were not reported. */
export async function reportedPatch(
  store: Store,
  { session_id }: Pick<SessionRow, 'session_id'>,
  { from, to, path }: { from: string; to: string; path?: string | undefined },
): Promise<{ patch: string; cut: boolean } | undefined> {
  const [row] = await store.records.reportedChanges.find({
    where: { session_id, from_tree: from, to_tree: to },
    limit: 1,
  });
  if (!row) return undefined;
  if (!row.patch) return { patch: '', cut: true };
  const patch = await patchIn(row.patch);
  if (path === undefined) return { patch, cut: false };
  const { files } = JSON.parse(row.facts) as Pick<ChangeReport, 'files'>;
  const part = patchOfFile(patch, files, path);
  return part === undefined ? { patch: '', cut: true } : { patch: part, cut: false };
}

async function patchIn(packed: Uint8Array): Promise<string> {
  try {
    return (await unpack(packed, { maxOutputLength: MAX_REPORTED_PATCH_BYTES })).toString('utf8');
  } catch (cause) {
    throw new BatonError('usage', 'The reported patch is damaged or too large.', { cause });
  }
}

/**
 * The part of a patch for one file. Git prints the files in the order of its list; names in headers are quoted in several
 * ways, so that the position is what counts. A file that became a link, or the reverse, has two parts.
 */
export function patchOfFile(
  patch: string,
  files: readonly Pick<FileDifference, 'path' | 'kind'>[],
  path: string,
): string | undefined {
  const parts = patch.split(/^(?=diff --git )/m).filter((part) => part !== '');
  let n = 0;
  for (const file of files) {
    const count = file.kind === 'replaced' ? 2 : 1;
    if (file.path === path) {
      const found = parts.slice(n, n + count);
      return found.length === count ? found.join('') : undefined;
    }
    n += count;
  }
  return undefined;
}
