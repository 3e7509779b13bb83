import { createHash } from 'node:crypto';

/** A short id that is the same for the same parts, also after a restart. */
export function stableId(parts: readonly (string | number)[], length: number): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, length);
}
