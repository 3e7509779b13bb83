import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import { storable } from '../projection/words-of-prompt.ts';

/** SQL condition: the given columns of a row together contain every word of the search, in any order, ignoring case. */
export function containing(
  kind: Engine['kind'],
  columns: readonly string[],
  search: string,
): RawBuilder<boolean> {
  const words = storable(search).toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return sql`1 = 1`;
  const conditions = words.map(
    (word) =>
      sql`(${sql.join(
        columns.map((column) => has(kind, column, word)),
        sql` or `,
      )})`,
  );
  return sql`(${sql.join(conditions, sql` and `)})`;
}

function has(kind: Engine['kind'], column: string, word: string): RawBuilder<boolean> {
  return kind === 'postgres'
    ? sql`strpos(lower(${sql.ref(column)}), ${word}) > 0`
    : sql`instr(lower_case(${sql.ref(column)}), ${word}) > 0`;
}
