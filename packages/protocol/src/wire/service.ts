import { z } from 'zod';

/** The schemas of one method: what a caller sends, and what the daemon answers. */
export type MethodWire = {
  readonly data?: z.ZodType;
  readonly query?: z.ZodType;
  readonly result: z.ZodType;
};

/** The schemas of one service, by method. */
export type ServiceWire = Readonly<Record<string, MethodWire>>;

/** For methods that take or give no fields. */
export const emptySchema = z.strictObject({});
