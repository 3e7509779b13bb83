import { relative, resolve, sep } from 'node:path';
import { isHidden, isOnPath, isPartOfTool, isRunByGit } from './protected-structure.ts';
import { resolveLinks } from './resolve-links.ts';

/**
 * Paths that, besides hidden names, would widen an agent's rights or later run code without asking if they were
 * changed. A name counts at any depth, with everything in it; `auto` and rules with a pattern never allow an edit of
 * it. Each run adds the settings of the agents in its registry, and users add their own with the setting
 * `protectedPaths`.
 */
export const PROTECTED_PATHS: readonly string[] = [
  // Hooks of Git.
  ...['lefthook', 'lefthook-local'].flatMap((name) =>
    ['yml', 'yaml', 'toml', 'json'].map((type) => `${name}.${type}`),
  ),
  // Settings of an agent that has no backend.
  'crush.json',
  // Baton's own.
  'baton.json',
  'chains.json',
  'chains.jsonc',
  'chains.yaml',
  'chains.yml',
  // Programs that are found before those of the system, and what names them.
  'mise.toml',
  'mise.local.toml',
  'mise/config.toml',
  'venv',
  'virtualenv',
  'pyvenv.cfg',
  // What runs with the secrets of a build server.
  'azure-pipelines.yml',
  'azure-pipelines.yaml',
  'bitbucket-pipelines.yml',
  'Jenkinsfile',
  // What macOS starts.
  'Library/LaunchAgents',
  'Library/LaunchDaemons',
];

/** Code points that some file systems ignore in names: `.g\u200cit` is `.git` there. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * True when a path in a folder is protected, or leads through something protected on its way along links. Case and
 * invisible characters do not count, because there are file systems for which they do not.
 */
export function isProtected(folder: string, path: string, more: readonly string[] = []): boolean {
  const names = [...PROTECTED_PATHS, ...more].map((each) => `/${normalized(each)}/`);
  const bases = [resolve(folder), resolveLinks('/', resolve(folder)) ?? resolve(folder)];
  const written = resolve(folder, path);
  const places = new Set([written]);
  const visit = (place: string) => places.add(place);
  const ends = new Set<string | undefined>([
    written,
    ...bases.map((base) => resolveLinks(base, path, visit)),
    resolveLinks('/', written, visit),
  ]);
  return [...places].some((place) => {
    const way = normalized(wayTo(place, bases));
    if (way === '') return false;
    if (way.split('/').some(isHidden) || isPartOfTool(place, ends.has(place))) return true;
    if (ends.has(place) && (isRunByGit(place) || isOnPath(place))) return true;
    return names.some((name) => `/${way}/`.includes(name));
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
