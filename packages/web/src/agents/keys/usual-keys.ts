import type { BackendRecord } from '@baton/client';

/** The names of keys that agents take, those of the agents that lack one first. */
export function usualKeys(
  backends: readonly Pick<BackendRecord, 'key_variables' | 'probe'>[],
): string[] {
  const isLacking = ({ probe }: Pick<BackendRecord, 'probe'>) => probe.credentials === 'missing';
  const lacking = backends.filter(isLacking);
  return [...new Set([...lacking, ...backends].flatMap(({ key_variables }) => key_variables))];
}
