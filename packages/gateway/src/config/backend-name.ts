import type { Registry } from '@baton/runtime/internal';

/** The name of a backend as people type it. */
export function nameOfBackend(registry: Registry, text: string): string {
  const { id, aliases = [] } = registry.entry(text);
  return shortest([id, ...aliases]);
}

/** The names of all backends as people type them. */
export function namesOfBackends(registry: Registry): string[] {
  return registry.entries().map(({ id, aliases = [] }) => shortest([id, ...aliases]));
}

function shortest(names: readonly string[]): string {
  return names.reduce((best, name) => (name.length < best.length ? name : best));
}
