import type { FileDifference } from '@baton/protocol';
import { attempt } from '../data/attempt.ts';
import { useDaemon } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';
import { tell } from '../design/toasts.tsx';
import { some } from '../text/amounts.ts';

type Target = {
  /** The turn to undo; later turns are undone too. */
  task_id?: string | undefined;
  checkpoint?: number | undefined;
  /** Only these files. */
  paths?: string[] | undefined;
};

/** Number of paths that the daemon accepts in one request. */
const MOST_PATHS = 1000;

/** Returns a function that restores files of a session. A toast says how many, and can revert it. */
export function useUndo(session_id: string): (target: Target) => Promise<void> {
  const { client } = useDaemon();
  return async function undo(target) {
    const { before, files, total, kept } = await client.checkpoints.undo({ session_id, ...target });
    makeStale('changes');
    const left = keptWords(kept);
    if (total === 0) return tell(left || 'The files were already like that.');
    const revert = { checkpoint: before.number, paths: pathsToRevert(files, total) };
    const act = () => attempt(() => undo(revert));
    tell(`Restored ${some(total, 'file')}. ${left}`.trim(), {
      tone: 'good',
      action: { words: 'Take it back', act },
    });
  };
}

function keptWords([path, ...more]: readonly string[]): string {
  if (path === undefined) return '';
  const others = more.length > 0 ? ` and ${more.length} more` : '';
  return `Kept ${path}${others}, changed since by someone else.`;
}

/** The restored files: others may have changed since. Undefined, for all files, if they are too many. */
function pathsToRevert(files: readonly FileDifference[], total: number): string[] | undefined {
  const paths = files.flatMap(pathsOf);
  return files.length < total || paths.length > MOST_PATHS ? undefined : paths;
}

/** The paths of a changed file: a renamed file has two. */
export function pathsOf({ path, old_path }: Pick<FileDifference, 'path' | 'old_path'>): string[] {
  return old_path ? [old_path, path] : [path];
}
