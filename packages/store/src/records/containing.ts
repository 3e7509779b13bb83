import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import { storable } from '../projection/words-of-prompt.ts';

/** Whether a text of a row contains some words, in capitals or not. */
export function containing(
  kind: Engine['kind'],
  column: string,
  words: string,
): RawBuilder<boolean> {
  const sought = storable(words).toLowerCase();
  return kind === 'postgres'
    ? sql`strpos(lower(${sql.ref(column)}), ${sought}) > 0`
    : sql`instr(lower_case(${sql.ref(column)}), ${sought}) > 0`;
}
