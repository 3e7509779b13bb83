import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

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

/** Names with the rights of a hidden one: an editor runs the tasks of a workspace as those in `.vscode`. */
const LIKE_HIDDEN = /\.code-workspace$/;

/** True for a hidden name that may be more than a file of the project; the name is in lower case. */
export function isHidden(name: string): boolean {
  if (LIKE_HIDDEN.test(name)) return true;
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

/** True for a program that is found by its name, because its folder is on `PATH`. */
export function isOnPath(place: string, { PATH = '' }: NodeJS.ProcessEnv = process.env): boolean {
  return PATH.split(':').some(
    (folder) => folder.startsWith('/') && areNested(resolve(folder), place),
  );
}

/**
 * True for a file that the settings of Git name: a hook in the folder of `core.hooksPath`, a file of settings that is
 * included, or a program such as a filter, which runs with the next `git status`.
 */
export function isRunByGit(place: string): boolean {
  const root = ancestorsOf(place).find((folder) => existsSync(join(folder, '.git')));
  if (root === undefined) return false;
  return gitConfigs(root).some((config) => {
    const values = readText(config).matchAll(/^\s*([\w-]+)\s*=\s*(.+)$/gm);
    return [...values].some(([, key = '', value = '']) => {
      const from = key.toLowerCase() === 'path' ? dirname(config) : root;
      const whole = value.trim().replaceAll('"', '');
      const words = [whole, ...value.split(/[\s"';|&()!=]+/)];
      return words.some((word) => {
        // A word without a slash is a branch, a remote or a program that is found by its name.
        if (!word.includes('/') && !/^(?:path|hookspath)$/i.test(key)) return false;
        const named = resolve(from, word.replace(/^~(?=\/)/, homedir()));
        return named !== root && areNested(named, place);
      });
    });
  });
}

/** The settings that Git reads in a folder, whether or not they exist. */
function gitConfigs(root: string): string[] {
  const link = /^gitdir:\s*(.+)$/m.exec(readText(join(root, '.git')))?.[1];
  const folder = link === undefined ? join(root, '.git') : resolve(root, link);
  const common = resolve(folder, readText(join(folder, 'commondir')).trim());
  return [
    join(common, 'config'),
    join(folder, 'config.worktree'),
    join(homedir(), '.gitconfig'),
    join(homedir(), '.config/git/config'),
  ];
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * True if one path is the other or lies in it: a folder above is changed only as a whole, by a move for example. Case
 * does not count, because there are file systems for which it does not.
 */
function areNested(one: string, other: string): boolean {
  const [a, b] = [`${one}/`.toLowerCase(), `${other}/`.toLowerCase()];
  return a.startsWith(b) || b.startsWith(a);
}

/** The folders that a path lies in, the nearest first. */
function ancestorsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...ancestorsOf(parent)];
}

function entriesOf(folder: string): ReadonlyMap<string, Dirent> {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return new Map(entries.map((entry) => [entry.name.toLowerCase(), entry]));
  } catch {
    return new Map();
  }
}
