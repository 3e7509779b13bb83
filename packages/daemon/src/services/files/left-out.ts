import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** Says of a path, relative to its folder, whether nobody wants to find it. */
export type LeftOut = (path: string, name: string) => boolean;

const ALWAYS: readonly string[] = ['.git', 'node_modules'];
const MOST_BYTES = 1024 * 1024;
/** Patterns and exceptions are left to Git: what they mean is not plain. */
const NOT_PLAIN = /[*?[\]!\\]/;

/** What is left out of a folder: what belongs to Git, dependencies, and what its own .gitignore plainly names. */
export async function leftOutOf(folder: string): Promise<LeftOut> {
  const text = await plainText(join(folder, '.gitignore')).catch(() => '');
  return leftOutBy(text);
}

/** An agent may have put anything there: a pipe that never ends, or a link to what is not its own. */
async function plainText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stats = await file.stat();
    return stats.isFile() && stats.size <= MOST_BYTES ? await file.readFile('utf8') : '';
  } finally {
    await file.close();
  }
}

/** What the text of a .gitignore leaves out. */
export function leftOutBy(gitignore: string): LeftOut {
  const names = new Set(ALWAYS);
  const paths = new Set<string>();
  for (const line of gitignore.split('\n').map((each) => each.trim())) {
    if (line === '' || line.startsWith('#') || NOT_PLAIN.test(line)) continue;
    const plain = line.replace(/\/$/, '');
    if (plain.includes('/')) paths.add(plain.replace(/^\//, ''));
    else names.add(plain);
  }
  return (path, name) => names.has(name) || paths.has(path);
}
