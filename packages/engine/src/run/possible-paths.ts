import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { object } from '@baton/config/values/json';
import { PATH_KEYS, TEXT_KEYS } from '../normalize/actions.ts';

/** More than any edit has; an input with more strings is not worth its judgement. */
const MAX_STRINGS = 1000;
/** More than any edit has beside its texts; each is also judged as a path below the others. */
const MAX_PAIRED = 24;
/** As long as a path can be on Linux. */
const MAX_PATH = 4096;

/**
 * Every string in an input that could name a file, alone, as part of a list or below another one, in all its readings;
 * nothing when the input cannot be judged, or could name something to run.
 */
export function possiblePaths(input: unknown, cwd: string): string[] | undefined {
  const found = new Set<string>();
  const values = new Set<string>();
  // Beside the file that it is for, text is only text.
  const hasFile = PATH_KEYS.some((key) => typeof object(input)[key] === 'string');
  const open: { key: string; value: unknown }[] = [{ key: '', value: input }];
  for (let entry = open.pop(); entry; entry = open.pop()) {
    const { key, value } = entry;
    if (found.size + open.length > MAX_STRINGS) return undefined;
    if (RUNS.test(inSnakeCase(key)) && value && !EDITING.test(String(value))) return undefined;
    if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value);
      for (const [name, inner] of Object.entries(value)) {
        open.push({ key: isList ? key : name, value: inner });
        // Some inputs have their files as keys.
        if (!isList) open.push({ key: '', value: name });
      }
    }
    if (typeof value !== 'string') continue;
    const isText = TEXT_KEYS.has(key);
    if (key === 'diff' && NAMES_FILES.test(value)) return undefined;
    const isSeveralWords = /\s/.test(value.trim());
    if (isText && (hasFile || isSeveralWords || value.length > MAX_PATH)) continue;
    // A patch names files in the middle of its text, and nobody sees where a path with a line break leads.
    if (!isText && (/[\n\r\0]/.test(value) || NOT_PLAIN.test(value))) return undefined;
    const inner = isText ? undefined : parsed(value);
    if (inner !== undefined) open.push({ key, value: inner });
    const parts = isText ? [] : partsOf(key, value);
    for (const each of [value, ...parts]) for (const reading of readings(each)) found.add(reading);
    if (key !== '') for (const each of [value, ...parts]) values.add(each);
  }
  if (values.size > MAX_PAIRED) return undefined;
  // A tool may look for one of its arguments in the folder that another one names.
  const folders = [...values].filter((each) => isFolder(resolve(cwd, each)));
  for (const folder of folders) for (const name of values) found.add(`${folder}/${name}`);
  return [...found];
}

/** Arguments with something to run: an edit has none. */
const RUNS =
  /(?:^|_)(?:command|cmd|script|shell|exec|execute|program|argv|eval)(?:lines?|s)?(?:_|$)|^runs?$/;
/** Commands of editors that are tools, as in `{ "command": "str_replace" }`. */
const EDITING =
  /^(?:view|create|write|edit|str_replace|replace|insert|append|undo_edit|delete|move|rename)$/;

/** The name of an argument in the form of `post_command`, whatever its own is. */
function inSnakeCase(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/[-\s]/g, '_')
    .toLowerCase();
}

/** Arguments that can hold several paths with spaces between them; in others, such text is prose. */
const PATH_KEY = /path|file|uri|dest|target|source|folder|dir|arg|^(?:to|from|cwd)$/i;

/** The parts of a list or an option, such as `a.txt,b.txt`, `{a,b}.txt` and `--output=a.txt`. */
function partsOf(key: string, text: string): string[] {
  if (/\s/.test(text.trim()) && !PATH_KEY.test(key)) return [];
  const parts = text.split(/[\s,;:=|(){}[\]<>"'`]+/).filter(Boolean);
  return parts.length > 1 || parts[0] !== text ? parts : [];
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** JSON in a string; undefined for any other text. */
function parsed(text: string): unknown {
  if (!/^\s*[[{"]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Lines of a patch that name files, which need not be the one that the edit is for. */
const NAMES_FILES = /^(?:\+\+\+ |--- |diff --git |(?:rename|copy) (?:from|to) |\*\*\* \w+ File:)/m;

/** URLs of files, drives and variables: programs read them in their own ways. */
const NOT_PLAIN = /^[\s"'`@]*(?:file:|[a-z]:[\\/]|\$|%\w+%)/i;

/** A string as agents might take it for a path: in quotes or behind `@`, with backslashes, encoded as in a URL. */
function readings(text: string): string[] {
  const bare = text.trim().replaceAll(/^["'`@]+|["'`]+$/g, '');
  return [text, bare].flatMap((each) => [each, each.replaceAll('\\', '/'), decoded(each)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
