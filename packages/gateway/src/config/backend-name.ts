import { backendEntry } from '@baton/runtime/internal';

/** The name of a backend as people type it. */
export function nameOfBackend(text: string): string {
  const { id, aliases = [] } = backendEntry(text);
  return [id, ...aliases].reduce((best, name) => (name.length < best.length ? name : best));
}
