import type { SessionRecord, TaskRecord } from '@baton/protocol';

/** What a session is called: by its title, or else by what was first asked in it. */
export function titleOf({ title, cwd }: SessionRecord, tasks: readonly TaskRecord[]): string {
  const first = tasks.reduce<TaskRecord | undefined>(
    (earliest, task) => (earliest && earliest.position < task.position ? earliest : task),
    undefined,
  );
  return title || first?.description || cwd;
}
