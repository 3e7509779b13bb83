import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** The rules of one .gitignore, and those of the folders above it. */
export type IgnoreRules = { folder: string; rules: Ignore; above?: IgnoreRules | undefined };

const MAX_BYTES = 64 * 1024;
/** Each `**` multiplies the time to match a deep path. */
const MAX_GLOBSTARS = 3;

/** Reads the .gitignore of a folder; when there is none to read, the rules from above apply. */
export async function readIgnoreRules(
  root: string,
  folder: string,
  above: IgnoreRules | undefined,
): Promise<IgnoreRules | undefined> {
  const text = await readPlainFile(join(root, folder, '.gitignore')).catch(() => undefined);
  if (text === undefined) return above;
  const patterns = text.split('\n').filter((line) => line.split('**').length - 1 <= MAX_GLOBSTARS);
  return { folder, rules: ignore({ ignorecase: false }).add(patterns), above };
}

/** True if a path, relative to the root, is ignored: the nearest .gitignore that mentions it decides. */
export function isIgnored(
  path: string,
  kind: 'file' | 'folder',
  nearest: IgnoreRules | undefined,
): boolean {
  for (let each = nearest; each; each = each.above) {
    const inside = each.folder === '' ? path : path.slice(each.folder.length + 1);
    const { ignored, unignored } = each.rules.test(kind === 'folder' ? `${inside}/` : inside);
    if (ignored || unignored) return ignored;
  }
  return false;
}

/**
 * Reads a regular file only: an agent could replace it by a pipe that blocks the reader, or by a link to a file
 * outside.
 */
async function readPlainFile(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stats = await file.stat();
    return stats.isFile() && stats.size <= MAX_BYTES ? await file.readFile('utf8') : undefined;
  } finally {
    await file.close();
  }
}
