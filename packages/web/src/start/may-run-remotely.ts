import type { DaemonRecord, DaemonStatus, ExecutorRecord } from '@baton/client';

/** True if a task may run on another machine than the daemon's. The daemon can only check its own folders. */
export function mayRunRemotely(
  { daemon_id, slots }: Pick<DaemonStatus, 'daemon_id' | 'slots'>,
  daemons: readonly DaemonRecord[],
  executors: readonly ExecutorRecord[],
): boolean {
  if (slots === 0) return true;
  const here = daemons.find((each) => each.daemon_id === daemon_id)?.host;
  const working = daemons.filter((each) => each.alive && each.slots > 0);
  return [...working, ...executors].some(({ host }) => host !== here);
}
