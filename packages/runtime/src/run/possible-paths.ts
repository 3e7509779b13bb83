import { PATH_KEYS, TEXT_KEYS } from '../normalize/actions.ts';
import { object } from '../values/json.ts';

/** More than any edit has; an input with more strings is not worth its judgement. */
const MAX_STRINGS = 1000;
/** As long as a path can be on Linux. */
const MAX_PATH = 4096;

/** Every string in an input that could name a file, in all its readings; nothing when one cannot be judged. */
export function possiblePaths(input: unknown): string[] | undefined {
  const found = new Set<string>();
  // Beside the file that it is for, text is only text.
  const hasFile = PATH_KEYS.some((key) => typeof object(input)[key] === 'string');
  const open: { key: string; value: unknown }[] = [{ key: '', value: input }];
  for (let entry = open.pop(); entry; entry = open.pop()) {
    const { key, value } = entry;
    if (found.size + open.length > MAX_STRINGS) return undefined;
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
    for (const reading of readings(value)) found.add(reading);
  }
  return [...found];
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
