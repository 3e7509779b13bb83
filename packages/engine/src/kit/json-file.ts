import { readFileSync } from 'node:fs';
import { isObject, type Json, object, parseJson } from '@baton/config/values/json';
import { BatonError } from '@baton/protocol/values';

/** Reads a JSON object from a file that the caller named. `what` names the file in the error: "settings file". */
export function readJsonFile(path: string, what: string): Json {
  const value = parseJson(textOf(path, what));
  if (isObject(value)) return value;
  throw new BatonError('config_invalid', `The ${what} is not a JSON object: ${path}`);
}

/** Reads a JSON object from a file that may be missing or hold something else; then the object is empty. */
export function readOptionalJson(path: string): Json {
  try {
    return object(parseJson(readFileSync(path, 'utf8')));
  } catch {
    return {};
  }
}

function textOf(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new BatonError('config_invalid', `Cannot read the ${what}: ${path}`, { cause });
  }
}
