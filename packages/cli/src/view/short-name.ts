import { findBackend } from '@baton/runtime/internal';

/** Returns the name of a backend for typing: the shorter one of its id and its first alias. */
export function shortName(id: string): string {
  const [alias = id] = findBackend(id)?.aliases ?? [];
  return alias.length < id.length ? alias : id;
}
