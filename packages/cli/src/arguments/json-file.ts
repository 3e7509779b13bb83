import { readFileSync } from 'node:fs';
import { BatonError } from '@baton/protocol/values';

/** Reads a JSON object from a file that the user named. */
export function readJsonFile(path: string, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BatonError('usage', `Cannot read the ${what} ${path}: ${why}`, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new BatonError('usage', `The ${what} ${path} must contain a JSON object.`);
}
