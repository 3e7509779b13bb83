import type { Page } from '@baton/protocol/wire';
import type { RowQuery } from '@baton/store';

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
