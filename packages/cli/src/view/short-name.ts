import type { Baton } from '@baton/agents/registry/baton';

/** Returns the name of a backend for typing: the shorter one of its id and its first alias. */
export function shortName({ registry }: Baton, id: string): string {
  const [alias = id] = registry.find(id)?.aliases ?? [];
  return alias.length < id.length ? alias : id;
}
