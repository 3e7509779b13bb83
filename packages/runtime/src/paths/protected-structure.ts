import { type Dirent, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/**
 * Hidden files that are an ordinary part of a project. All other hidden names are protected: agents, editors, shells and
 * package managers keep there what they run, and tomorrow's tools will too.
 */
const ORDINARY: readonly RegExp[] = [
  /^\.git(?:ignore|attributes|keep)$/,
  /^\.git-blame-ignore-revs$/,
  /^\.(?:keep|mailmap|editorconfig|well-known)$/,
  /^\.env(?:\..+)?$/,
  /^\.[\w-]+ignore$/,
  /^\.(?:babel|browserslist|c8|eslint|markdownlint|mocha|nyc|prettier|stylelint|swc)rc(?:\..+)?$/,
  /^\.(?:markdownlint|oxlintrc|jshintrc|pylintrc|flake8|rubocop|rustfmt|clang-format)(?:\..+)?$/,
  /^\.(?:nvmrc|(?:node|python|ruby|java|go)-version)$/,
];

/** True for a hidden name that may be more than a file of the project; the name is in lower case. */
export function isHidden(name: string): boolean {
  return /^\.[^.]/.test(name) && !ORDINARY.some((pattern) => pattern.test(name));
}

/** The parts of a Git repository that lie in a folder without the name `.git`. */
const GIT_PARTS: ReadonlySet<string> = new Set([
  'commondir',
  'config',
  'config.worktree',
  'hooks',
  'info',
  'modules',
  'objects',
  'refs',
  'worktrees',
]);

/** The parts of a Python environment that hold code. */
const PYTHON_PARTS: ReadonlySet<string> = new Set(['bin', 'lib', 'lib64', 'scripts']);

/**
 * True when a place belongs to a repository that has no `.git`, or to a Python environment. Git takes any folder with
 * `HEAD`, `objects` and `refs` for a repository, and runs what its `config` names: the last of them to be written, or
 * `HEAD`, needs a question. `isEnd` tells that the place is what is written, and no folder on the way there.
 */
export function isPartOfTool(place: string, isEnd: boolean): boolean {
  const name = basename(place).toLowerCase();
  if (name === 'head' && isEnd) return true;
  const around = entriesOf(dirname(place));
  if (PYTHON_PARTS.has(name) && around.has('pyvenv.cfg')) return true;
  if (!GIT_PARTS.has(name)) return false;
  const head = around.get('head');
  if (head && !head.isDirectory()) return true;
  const has = (part: string) => part === name || around.has(part);
  return has('objects') && has('refs');
}

function entriesOf(folder: string): ReadonlyMap<string, Dirent> {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return new Map(entries.map((entry) => [entry.name.toLowerCase(), entry]));
  } catch {
    return new Map();
  }
}
