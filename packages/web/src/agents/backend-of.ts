import type { BackendRecord } from '@baton/client';

/** The agent with a name, which may also be another name of it. */
export function backendOf(
  backends: readonly BackendRecord[],
  name: string,
): BackendRecord | undefined {
  return backends.find(({ id, aliases }) => id === name || aliases.includes(name));
}
