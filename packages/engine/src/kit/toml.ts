import { isObject } from '@baton/config/values/json';

/** Writes a value as TOML on one line, as `-c key=value` wants it. */
export function toml(value: unknown): string {
  if (typeof value === 'string') return tomlString(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.filter(isGiven).map(toml).join(', ')}]`;
  if (!isObject(value)) return '""';
  const entries = Object.entries(value).filter(([, entry]) => isGiven(entry));
  return `{${entries.map(([key, entry]) => `${tomlString(key)} = ${toml(entry)}`).join(', ')}}`;
}

/** Writes settings as `key=value`, nested tables as dotted keys, so that they add to the user's tables. */
export function tomlSettings(settings: Readonly<Record<string, unknown>>, path = ''): string[] {
  return Object.entries(settings).flatMap(([key, value]) => {
    if (!isGiven(value)) return [];
    const isTable = isObject(value) && Object.keys(value).length > 0;
    const goesDeeper = isTable && Object.keys(value).every((name) => BARE_KEY.test(name));
    if (goesDeeper) return tomlSettings(value, `${path}${key}.`);
    return [`${path}${key}=${toml(value)}`];
  });
}

/** Codex splits a key at every dot and does not support quotes in it. */
export const BARE_KEY = /^[\w-]+$/;

/** A basic string of TOML has the escapes of JSON; only DEL and lone surrogates are no TOML. */
function tomlString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll('\u007f', '\\u007f');
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
