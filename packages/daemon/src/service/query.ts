import { z } from 'zod';

/** How many records of a list to give, and how many to pass over first. */
export const pageShape = {
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  skip: z.coerce.number().int().min(0).default(0),
};

/** A yes or no in a query, where everything is a text. */
export const flagSchema = z.stringbool().or(z.boolean());

/** A list of records, and how many there are in all. */
export type Page<Row> = { total: number; limit: number; skip: number; data: Row[] };
