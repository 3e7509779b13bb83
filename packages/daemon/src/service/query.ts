import type { RowQuery } from '@baton/store';
import { z } from 'zod';

/** How many records of a list to give, and how many to pass over first. */
export const pageShape = {
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  skip: z.coerce.number().int().min(0).default(0),
};

/** Calls `$limit` and `$skip`, as Feathers names them, by the names that a method knows them by. */
export function inPlainNames(
  schema: z.ZodType,
  query: Record<string, unknown>,
): Record<string, unknown> {
  const known = schema instanceof z.ZodObject ? schema.shape : {};
  const plain = (name: string) => {
    const bare = name.replace(/^\$(?=(limit|skip)$)/, '');
    return bare in known && !(bare in query) ? bare : name;
  };
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [plain(name), value]));
}

/** A yes or no in a query, where everything is a text. */
export const flagSchema = z.stringbool().or(z.boolean());

/** A list of records, and how many there are in all. */
export type Page<Shown> = { total: number; limit: number; skip: number; data: Shown[] };

/** The form of a page of records. */
export function pageSchema(record: z.ZodType): z.ZodType {
  return z.looseObject({
    total: z.int(),
    limit: z.int(),
    skip: z.int(),
    data: z.array(record),
  });
}

type PagedTable<Row> = {
  find(query: RowQuery<Row>): Promise<Row[]>;
  count(where?: RowQuery<Row>['where']): Promise<number>;
};
type PageQuery<Row> = Pick<RowQuery<Row>, 'where' | 'orderBy'> & { limit: number; skip: number };

/** Reads one page of the rows that match, each as services show it. */
export async function pageOf<Row extends object, Shown>(
  table: PagedTable<Row>,
  { where = {}, orderBy, limit, skip }: PageQuery<Row>,
  shown: (row: Row) => Shown,
): Promise<Page<Shown>> {
  const query = { where, limit, offset: skip, ...(orderBy ? { orderBy } : {}) };
  const rows = await table.find(query);
  return { total: await table.count(where), limit, skip, data: rows.map(shown) };
}
