import { BatonError } from '@baton/protocol/values';
import type { Git, GitCall } from './git.ts';

/** Beyond this, git needs more memory than a machine can spare. */
const MAX_PATHS = 2_000_000;
const NUL = 0;

/** Trees that were counted; a tree never changes. */
const known = new Set<string>();
const MAX_KNOWN = 1000;

/**
 * Rejects with `too_large` if a tree has so many files that git could not compare or write them. A few objects are enough
 * for that: one folder can be in a tree any number of times.
 */
export async function refuseHugeTree(git: Git, call: GitCall, tree: string): Promise<void> {
  if (known.has(tree)) return;
  const stop = new AbortController();
  let paths = 0;
  const onOutput = (chunk: Buffer) => {
    for (let at = chunk.indexOf(NUL); at >= 0; at = chunk.indexOf(NUL, at + 1)) paths += 1;
    if (paths > MAX_PATHS) stop.abort();
  };
  const signal = call.signal ? AbortSignal.any([call.signal, stop.signal]) : stop.signal;
  try {
    await git.run(['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree], {
      ...call,
      onOutput,
      signal,
    });
  } catch (error) {
    if (paths <= MAX_PATHS) throw error;
    const limit = MAX_PATHS.toLocaleString('en-US');
    throw new BatonError('too_large', `The commit has more than ${limit} files.`, {
      hint: 'Baton does not compare or write so many. Work in place, or split the repository.',
      cause: error,
    });
  }
  if (known.size >= MAX_KNOWN) known.clear();
  if (/^[0-9a-f]{40,64}\b/.test(tree)) known.add(tree);
}
