import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import { writeFileAtomically } from '../paths/atomic-file.ts';
import { isObject, type Json } from '../values/json.ts';
import { similarNames } from '../values/similar-names.ts';
import { SETTING_NAMES } from './setting-table.ts';

export const PROJECT_FILE = 'baton.json';
/** Keys whose values other packages read: the workspaces of a project, and the user's settings of projects. */
export const SECTIONS = { project: 'workspace', user: 'projects' } as const;
/** Windows editors put it in front of a text; JSON does not know it. */
const BYTE_ORDER_MARK = /^\uFEFF/;

export type ConfigFile = {
  path: string;
  values: Json;
  /** Problems with keys that this version does not know; they are ignored. */
  unknown?: readonly string[];
  /** Returns the file, line and column of a key. */
  place(key: string): string;
};

/** The user's own configuration file. */
export function userConfigPath(home: string): string {
  return join(home, '.baton', 'config.json');
}

/**
 * The configuration file of the project that a folder belongs to: the nearest one, up to the repository's root. Outside
 * a repository only the folder itself counts, because anyone may write into the folders above.
 */
export function findProjectConfig(cwd: string): string | undefined {
  const folders = ancestors(resolve(cwd));
  const root = folders.findIndex((folder) => existsSync(join(folder, '.git')));
  return folders
    .slice(0, Math.max(root, 0) + 1)
    .map((folder) => join(folder, PROJECT_FILE))
    .find((path) => existsSync(path));
}

/** Reads a configuration file; nothing when there is none. */
export function readConfigFile(path: string, read: ReadText = readText): ConfigFile | undefined {
  const source = readSource(path, read);
  if (source === undefined) return undefined;
  const values = parse(path, source);
  if (!isObject(values)) {
    throw new BatonError('config_invalid', `${path} must contain a JSON object.`);
  }
  const place = (key: string) => `${path}:${positionOf(source, keyOffset(source, key))}`;
  const section = basename(path) === PROJECT_FILE ? SECTIONS.project : SECTIONS.user;
  const known: readonly string[] = ['$schema', section, ...SETTING_NAMES];
  const isKnown = (key: string) => known.includes(key);
  const unknown = Object.keys(values)
    .filter((key) => !isKnown(key))
    .map((key) => `${place(key)}: unknown setting "${key}" is ignored. ${hintFor(key)}`);
  return { path, values, unknown, place };
}

/** Sets keys of the user's configuration file; everything else in the file stays. */
export function changeUserConfig(home: string, changes: Json): void {
  const path = userConfigPath(home);
  const { values = {} } = readConfigFile(path) ?? {};
  writeFileAtomically(path, `${JSON.stringify({ ...values, ...changes }, null, 2)}\n`);
}

function hintFor(key: string): string {
  const guesses = similarNames(key, SETTING_NAMES);
  if (guesses.length > 0) return `Did you mean ${guesses.join(' or ')}?`;
  const agent = /^(\w+)Binary$/.exec(key)?.[1];
  if (agent) return `Write it as "binaries": { "${agent}": … }.`;
  return 'Run "baton config" to see all settings.';
}

/** Reads a file as text; throws if that is impossible or forbidden. */
export type ReadText = (path: string) => string;

const readText: ReadText = (path) => readFileSync(path, 'utf8');

function readSource(path: string, read: ReadText): string | undefined {
  try {
    return read(path).replace(BYTE_ORDER_MARK, '');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    // A home that is not even a folder has no file either.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new BatonError('config_invalid', `Cannot read ${path}: ${message}`, {
      hint: 'Check the owner and permissions of the file and its folder.',
      cause,
    });
  }
}

function parse(path: string, source: string): unknown {
  try {
    return JSON.parse(source);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const position = positionOf(source, mistakeOffset(source, why));
    const reason = why.replace(/(,? ?(in JSON )?at position|, (\.\.\.)?")[\s\S]*$/, '');
    throw new BatonError('config_invalid', `${path}:${position}: ${reason}`, {
      hint: 'Fix the JSON at that position.',
      cause,
    });
  }
}

/**
 * Returns the offset of the mistake that the parser reports. Of an unexpected token it says which one, but not its
 * position.
 */
function mistakeOffset(source: string, complaint: string): number {
  const told = /position (\d+)/.exec(complaint)?.[1];
  if (told !== undefined) return Number(told);
  if (!isAboutToken(complaint)) return source.trimEnd().length;
  let good = 0;
  let bad = source.length;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isAboutToken(complaintOf(source.slice(0, middle)))) bad = middle;
    else good = middle;
  }
  return good;
}

function isAboutToken(complaint: string): boolean {
  return complaint.startsWith('Unexpected token');
}

function complaintOf(source: string): string {
  try {
    JSON.parse(source);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns the offset of a key; 0 if it is written with escapes. */
function keyOffset(source: string, key: string): number {
  const quoted = JSON.stringify(key);
  let offset = source.indexOf(quoted);
  while (offset !== -1 && !/^\s*:/.test(source.slice(offset + quoted.length))) {
    offset = source.indexOf(quoted, offset + 1);
  }
  return Math.max(offset, 0);
}

/** Line and column, counted from 1. */
export function positionOf(source: string, offset: number): string {
  const before = source.slice(0, offset);
  return `${before.split('\n').length}:${offset - before.lastIndexOf('\n')}`;
}

/** A folder and all that it lies in, the folder itself first. */
function ancestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}
