import type { FoundFile } from './list-files.ts';

/** The files that match the typed text, best match first; without text the nearest ones. */
export function bestMatches(
  files: readonly FoundFile[],
  search: string,
  limit: number,
): FoundFile[] {
  const words = search.trim().toLowerCase();
  return files
    .map((file) => ({ file, distance: distanceTo(file.path.toLowerCase(), words) }))
    .filter(({ distance }) => distance !== undefined)
    .sort((one, other) => compare(one as Ranked, other as Ranked))
    .slice(0, limit)
    .map(({ file }) => file);
}

type Ranked = { file: FoundFile; distance: readonly [number, number] };

function compare(one: Ranked, other: Ranked): number {
  return (
    one.distance[0] - other.distance[0] ||
    one.distance[1] - other.distance[1] ||
    (one.file.path < other.file.path ? -1 : 1)
  );
}

/**
 * Ranks a path against the typed text: by the kind of match, then by the length of the rest. Undefined if it does not
 * match.
 */
function distanceTo(path: string, words: string): readonly [number, number] | undefined {
  if (words === '') return [path.split('/').length, 0];
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === words || path === words) return [0, path.length];
  if (name.startsWith(words)) return [1, path.length];
  if (name.includes(words)) return [2, path.length];
  if (path.includes(words)) return [3, path.length];
  const inName = spread(name, words);
  if (inName !== undefined) return [4, inName + path.length];
  const inPath = spread(path, words);
  return inPath === undefined ? undefined : [5, inPath + path.length];
}

/** Returns the number of characters over which the letters of the words are spread, in order. */
function spread(text: string, words: string): number | undefined {
  let at = -1;
  let first: number | undefined;
  for (const letter of words) {
    at = text.indexOf(letter, at + 1);
    if (at === -1) return undefined;
    first ??= at;
  }
  return at - (first ?? 0);
}
