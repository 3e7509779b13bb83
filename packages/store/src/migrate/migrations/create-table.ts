import type { ColumnDataType, CreateTableBuilder, Kysely } from 'kysely';

/** The kinds of columns that both engines have; a question mark means that there may be nothing in it. */
const TYPES = {
  text: 'text',
  /** A count, a time or a flag. */
  number: 'bigint',
  real: 'double precision',
  bytes: 'bytea',
} as const satisfies Record<string, ColumnDataType | 'bytea'>;

type Kind = keyof typeof TYPES;
type Columns = Readonly<Record<string, Kind | `${Kind}?`>>;

/** Creates a table with its key. */
export async function createTable(
  db: Kysely<unknown>,
  name: string,
  key: readonly string[],
  columns: Columns,
): Promise<void> {
  let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
  for (const [column, kind] of Object.entries(columns)) {
    const isOptional = kind.endsWith('?');
    const type = TYPES[kind.replace('?', '') as Kind] as ColumnDataType;
    table = table.addColumn(column, type, (each) => (isOptional ? each : each.notNull()));
  }
  await table.addPrimaryKeyConstraint(`${name}_key`, [...key] as [string]).execute();
}

/** Creates an index, named after its table and its first column. */
export async function createIndex(
  db: Kysely<unknown>,
  table: string,
  columns: readonly string[],
): Promise<void> {
  const name = `${table}_by_${columns[0]}`;
  await db.schema
    .createIndex(name)
    .on(table)
    .columns([...columns])
    .execute();
}
