import { z } from 'zod';

/** An absolute path on the machine of the daemon. */
export function absolutePathSchema(problem: string) {
  return z
    .string()
    .max(4096)
    .refine((path) => path.startsWith('/') && !path.includes('\0'), problem);
}
