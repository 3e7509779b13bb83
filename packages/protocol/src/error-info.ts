import { z } from 'zod';
import type { ErrorInfo } from './error.ts';

/** An error as it travels in events and results. */
export const errorInfoSchema: z.ZodType<ErrorInfo, ErrorInfo> = z.looseObject({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
  retryable: z.boolean(),
});
