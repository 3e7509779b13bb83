import { z } from 'zod';

/** The query fields that select one page of a list. */
export const pageShape = {
  limit: z.coerce.number<number>().int().min(1).max(1000).default(100),
  skip: z.coerce.number<number>().int().min(0).default(0),
};
export type PageQuery = { limit?: number | undefined; skip?: number | undefined };

/** A boolean in a query; over HTTP it is text. */
export const flagSchema = z.stringbool().or(z.boolean());

/** One page of a list. `total` counts the records on all pages. */
export function pageSchema<Row extends z.ZodType>(row: Row) {
  return z.looseObject({
    total: z.int(),
    limit: z.int(),
    skip: z.int(),
    data: z.array(row),
  });
}
export type Page<Row> = { total: number; limit: number; skip: number; data: Row[] };
