import type { Db } from '../engine/engine.ts';
import type { Tables } from '../schema/tables.ts';

/** The tables whose rows are simply written and read. */
export type RecordName = Exclude<
  keyof Tables,
  'log' | 'entries' | 'chain_events' | `gateway_${string}`
>;

/** A value that a column must have, one of several, or nothing. */
export type Match<Row> = {
  readonly [Column in keyof Row]?: Row[Column] | readonly Row[Column][] | undefined;
};

export type RowQuery<Row> = {
  where?: Match<Row>;
  orderBy?: readonly [column: keyof Row & string, direction: 'asc' | 'desc'];
  limit?: number;
  offset?: number;
};

/** The least that is needed of a query builder; the types of Kysely do not work for a table that is only known later. */
type Filtered<Self> = { where(column: string, operator: string, value: unknown): Self };

/** Reads and writes the rows of one table. */
export class RowTable<Name extends RecordName, Row extends Tables[Name] = Tables[Name]> {
  #db: Db;
  #name: Name;
  #key: keyof Row & string;

  constructor(db: Db, name: Name, key: keyof Row & string) {
    this.#db = db;
    this.#name = name;
    this.#key = key;
  }

  async get(id: string): Promise<Row | undefined> {
    const [row] = await this.find({ where: { [this.#key]: id } as Match<Row>, limit: 1 });
    return row;
  }

  async find({ where = {}, orderBy, limit, offset }: RowQuery<Row> = {}): Promise<Row[]> {
    let query = matching(this.#db.selectFrom(this.#name as 'settings').selectAll(), where);
    const [column, direction] = orderBy ?? [this.#key, 'asc'];
    query = query.orderBy(column as 'name', direction);
    if (limit !== undefined) query = query.limit(limit);
    if (offset !== undefined) query = query.offset(offset);
    return (await query.execute()) as unknown as Row[];
  }

  async count(where: Match<Row> = {}): Promise<number> {
    const query = this.#db
      .selectFrom(this.#name as 'settings')
      .select(({ fn }) => fn.countAll<number>().as('count'));
    const { count } = await matching(query, where).executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Adds a row. */
  async insert(row: Row): Promise<Row> {
    await this.#db
      .insertInto(this.#name as 'settings')
      .values(row as never)
      .execute();
    return row;
  }

  /** Adds a row or replaces the one with its key. */
  async put(row: Row): Promise<Row> {
    await this.#db
      .insertInto(this.#name as 'settings')
      .values(row as never)
      .onConflict((conflict) => conflict.column(this.#key as 'name').doUpdateSet(row as never))
      .execute();
    return row;
  }

  /** Changes the rows that match, and tells how many there were. */
  async update(
    where: Match<Row>,
    changes: { [Column in keyof Row]?: Row[Column] | undefined },
  ): Promise<number> {
    const query = this.#db.updateTable(this.#name as 'settings').set(changes as never);
    const { numUpdatedRows } = await matching(query, where).executeTakeFirstOrThrow();
    return Number(numUpdatedRows);
  }

  /** Removes the rows that match, and tells how many there were. */
  async remove(where: Match<Row>): Promise<number> {
    const query = this.#db.deleteFrom(this.#name as 'settings');
    const { numDeletedRows } = await matching(query, where).executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }
}

function matching<Query>(query: Query, where: object): Query {
  let filtered = query as Query & Filtered<Query & Filtered<never>>;
  for (const [column, value] of Object.entries(where)) {
    if (value === undefined) continue;
    const operator = value === null ? 'is' : Array.isArray(value) ? 'in' : '=';
    filtered = filtered.where(column, operator, value) as typeof filtered;
  }
  return filtered;
}
