import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { BatonError } from '@baton/protocol';
import { similarNames } from '../aliases.ts';
import { isObject, type Json } from '../normalize/json.ts';
import { SETTING_NAMES } from './table.ts';

export const PROJECT_FILE = 'baton.json';

export type ConfigFile = { path: string; values: Json };

/** The user's own configuration file. */
export function userConfigPath(home: string): string {
  return join(home, '.baton', 'config.json');
}

/** The configuration file of the project that a folder belongs to: the nearest one, up to the repository's root. */
export function findProjectConfig(cwd: string, home: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const path = join(folder, PROJECT_FILE);
    if (existsSync(path)) return path;
    const isRoot =
      existsSync(join(folder, '.git')) || folder === home || folder === dirname(folder);
    if (isRoot) return undefined;
  }
}

/** Reads a configuration file; nothing when there is none. */
export function readConfigFile(path: string): ConfigFile | undefined {
  const source = readSource(path);
  if (source === undefined) return undefined;
  const values = parse(path, source);
  if (!isObject(values)) {
    throw new BatonError('config_invalid', `${path} must hold a JSON object.`);
  }
  for (const key of Object.keys(values)) {
    if (key === '$schema' || (SETTING_NAMES as string[]).includes(key)) continue;
    const { line, column } = positionOf(source, source.indexOf(JSON.stringify(key)));
    const guesses = similarNames(key, SETTING_NAMES);
    throw new BatonError(
      'config_invalid',
      `${path}:${line}:${column}: there is no setting "${key}".`,
      {
        hint:
          guesses.length > 0
            ? `Did you mean ${guesses.join(' or ')}?`
            : 'Run "baton config" to see all settings.',
      },
    );
  }
  return { path, values };
}

function readSource(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BatonError('config_invalid', `${path} cannot be read: ${why}`, { cause });
  }
}

function parse(path: string, source: string): unknown {
  try {
    return JSON.parse(source);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const offset = Number(/position (\d+)/.exec(why)?.[1] ?? source.trimEnd().length);
    const { line, column } = positionOf(source, offset);
    const reason = why.replace(/,? ?(in JSON )?at position.*$/, '');
    throw new BatonError('config_invalid', `${path}:${line}:${column}: ${reason}`, {
      hint: 'Correct the JSON at that place.',
      cause,
    });
  }
}

function positionOf(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, Math.max(offset, 0));
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
}
