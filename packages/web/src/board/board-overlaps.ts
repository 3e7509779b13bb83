import type { Overlap } from '@baton/client';
import type { ListedTask } from '@baton/protocol';

type Running = Pick<ListedTask, 'session_id' | 'session_title' | 'host' | 'repository' | 'changes'>;

/** Finds the running sessions that change the same files of a repository; by session. */
export function overlapsBySession(tasks: readonly Running[]): ReadonlyMap<string, Overlap[]> {
  // A session runs one task at a time.
  return new Map(tasks.map((task) => [task.session_id, overlapsOf(task, tasks)]));
}

function overlapsOf(own: Running, tasks: readonly Running[]): Overlap[] {
  const paths = new Set(own.changes?.paths);
  return tasks.flatMap(({ session_id, session_title, host, repository, changes }) => {
    const isSamePlace = host === own.host && repository === own.repository && repository !== null;
    if (session_id === own.session_id || !isSamePlace) return [];
    const shared = changes?.paths.filter((path) => paths.has(path)) ?? [];
    return shared.length === 0 ? [] : [{ session_id, title: session_title, paths: shared }];
  });
}
