import { relative, resolve, sep } from 'node:path';
import { followed } from './follow-links.ts';

/**
 * What would widen an agent's rights, or run code later without anybody being asked, once it is changed. A name counts
 * at any depth, with everything in it; `auto` and rules with a pattern never allow an edit of it. Backends add the
 * settings of their agents through the registry, and users add their own with the setting `protectedPaths`.
 */
export const PROTECTED_PATHS: readonly string[] = [
  // Version control: hooks, filters and aliases run programs.
  '.git',
  '.gitconfig',
  '.gitmodules',
  '.config/git',
  '.githooks',
  '.husky',
  '.lefthook',
  'lefthook.yml',
  '.pre-commit-config.yaml',
  // Settings, rules, hooks and tool servers of agents, also of those that have no backend.
  '.agents',
  '.amp',
  '.claude',
  '.claude.json',
  '.codex',
  '.cursor',
  '.factory',
  '.gemini',
  '.mcp.json',
  '.openclaw',
  '.opencode',
  'opencode.json',
  'opencode.jsonc',
  '.pi',
  '.windsurf',
  // Baton's own.
  '.baton',
  'baton.json',
  // Editors: tasks, launch configurations and project startup files.
  '.devcontainer',
  '.devcontainer.json',
  '.exrc',
  '.fleet',
  '.idea',
  '.nvim.lua',
  '.nvimrc',
  '.vimrc',
  '.vscode',
  '.zed',
  // Programs that are found before those of the system.
  '.local/bin',
  'node_modules/.bin',
  // Package managers run what these name.
  '.npmrc',
  '.pnpmfile.cjs',
  '.yarnrc',
  '.yarnrc.yml',
  // What shells and their helpers read when they start.
  '.bash_aliases',
  '.bash_login',
  '.bash_logout',
  '.bash_profile',
  '.bashrc',
  '.config/autostart',
  '.config/fish',
  '.config/systemd',
  '.cshrc',
  '.direnv',
  '.envrc',
  '.inputrc',
  '.kshrc',
  '.login',
  '.profile',
  '.ripgreprc',
  '.ssh',
  '.tcshrc',
  '.zlogin',
  '.zlogout',
  '.zprofile',
  '.zshenv',
  '.zshrc',
];

/** Code points that some file systems ignore in names: `.g\u200cit` is `.git` there. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

const added = new Set<string>();

/** Protects further paths in every run of this process: the settings of an agent that was registered. */
export function protectPaths(paths: readonly string[]): void {
  for (const path of paths) added.add(path);
}

/** Every protected path, for people who want to see the list. */
export function protectedPaths(more: readonly string[] = []): string[] {
  return [...new Set([...PROTECTED_PATHS, ...added, ...more])];
}

/**
 * True when a path in a folder is protected, or leads through something protected on its way along links. Case and
 * invisible characters do not count, because there are file systems for which they do not.
 */
export function isProtected(folder: string, path: string, more: readonly string[] = []): boolean {
  const names = protectedPaths(more).map((each) => `/${normalized(each)}/`);
  const bases = [resolve(folder), followed('/', resolve(folder)) ?? resolve(folder)];
  const places = [resolve(folder, path)];
  const visit = (place: string) => places.push(place);
  for (const base of bases) followed(base, path, visit);
  followed('/', resolve(folder, path), visit);
  return places.some((place) => {
    const way = `/${normalized(wayTo(place, bases))}/`;
    return names.some((name) => way.includes(name));
  });
}

/** From the folder on: where the folder itself lies does not count. */
function wayTo(place: string, bases: readonly string[]): string {
  if (bases.some((base) => `${base}/`.startsWith(place === '/' ? place : `${place}/`))) return '';
  const inside = bases.find((base) => place.startsWith(`${base}/`));
  return inside === undefined ? place : relative(inside, place);
}

function normalized(path: string): string {
  return path
    .split(sep)
    .filter(Boolean)
    .join('/')
    .normalize('NFKC')
    .replace(IGNORABLE, '')
    .toLowerCase();
}
