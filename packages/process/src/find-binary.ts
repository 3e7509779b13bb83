import { existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { installedProgram } from '@baton/config/paths/agents-folder';
import { homeFolder } from '@baton/config/paths/home-folder';
import { isInside } from '@baton/config/paths/is-inside';
import { resolveLinks } from '@baton/config/paths/resolve-links';
import { BatonError } from '@baton/protocol/values';
import { executableProblem } from './executable-problem.ts';

export type BinarySearch = {
  /** Name of the program, e.g. `claude`. */
  name: string;
  /** The environment variable that names it. The named program must work: nothing else is tried then. */
  envVar?: string;
  /** A path or a bare name from the user, which wins over everything. */
  explicit?: string;
  /** The setting that has `explicit`, for messages. */
  explicitFrom?: string;
  /** True if the program may be an interpreter such as `node`, whose version is not that of the agent. */
  hasOtherVersion?: boolean;
  /** The command that installs it, or a sentence that says how. */
  install?: string;
  /** A folder with a `node_modules/.bin` to look into first; nothing when the workspace could have written to it. */
  localFolder?(workspace: string | undefined): string | undefined;
  /** Finds the native binary behind a launcher script, given its real path, without running anything. */
  nativeOf?(launcher: string): string | undefined;
};

export type FoundBinary = {
  path: string;
  /** Source of the program: `option`, the name of the setting or variable, the folder, or `PATH`. */
  via: string;
  /** The script that would have started it, when `path` is the native binary behind one. */
  launcher?: string;
  /** Programs of that name which were passed over because the workspace brought them. */
  skipped: string[];
};

export type SearchContext = {
  /** The workspace, which must not bring its own agent. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  home?: string;
  /** True if the agent is only looked for, so that `cwd` is no task's workspace. */
  probing?: boolean | undefined;
  /** Further folders that agents may have written to. */
  workspaces?: readonly string[] | undefined;
};

type Candidate = { path: string; via: string };

/**
 * Finds an agent's program: where the user says, else in the usual places and on PATH. A program from the workspace, or
 * from the git repository around it, is never used unless the user named it: an agent or a stranger may have put it there.
 */
export function findBinary(search: BinarySearch, context: SearchContext): FoundBinary {
  const { name, envVar, explicit, explicitFrom } = search;
  if (explicit) {
    const [via, who] = [explicitFrom ?? 'option', explicitFrom ?? 'The given binary'];
    return chosen(asTold(explicit, via, who, context), search);
  }
  const fromEnv = envVar && context.env[envVar];
  if (fromEnv) return chosen(asTold(fromEnv, envVar, envVar, context), search);

  const local = localCandidates(search, context);
  const usual = usualPlaces(name, context);
  const isOffered = offeredBy(context);
  const skipped = skippedPrograms(name, context);
  const candidates = [...local, ...usual.filter(({ path }) => !isOffered(path))];
  const found = firstUsable(candidates);
  if (found) return { ...chosen(found, search), skipped };
  throw notFound(search, [...local, ...usual], { skipped, context });
}

/** The programs of a name which are passed over because the workspace brought them. */
export function skippedPrograms(name: string, context: SearchContext): string[] {
  const isOffered = offeredBy(context);
  const candidates = [
    ...relativeOnPath(name, context),
    ...usualPlaces(name, context).filter(({ path }) => isOffered(path)),
  ].filter(({ path }) => !executableProblem(path));
  return [...new Set(candidates.map(({ path }) => path))];
}

function notFound(
  { name, envVar, install }: BinarySearch,
  candidates: readonly Candidate[],
  { skipped, context }: { skipped: readonly string[]; context: SearchContext },
): BatonError {
  const message = `${name} was not found in ${placeNames(candidates)}.`;
  const placeOf = offeringPlace(context);
  const why = skipped.map((path) => ` ${skippedWords(path, placeOf(path))}`).join('');
  const [first] = skipped;
  const hint =
    envVar && first
      ? `To use it anyway, set ${envVar}=${first}, or run Baton in another folder.`
      : installHint(install ?? `Install ${name}.`, envVar);
  return new BatonError('backend_not_found', message + why, { hint });
}

function installHint(install: string, envVar: string | undefined): string {
  const elsewhere = envVar ? `, or set ${envVar} to its path.` : '.';
  if (!install.endsWith('.')) return `Install it: ${install}${elsewhere}`;
  return install.replace(/\.$/, elsewhere);
}

/** Returns the message about a skipped program, with the folder that could have brought it, if known. */
export function skippedWords(path: string, place?: string): string {
  const where = place === undefined ? 'the workspace' : `the workspace or repository ${place}`;
  return `Skipped ${path}: programs in ${where} are not used as agents.`;
}

/** The places by their short names; each folder of PATH would be a wall of words. */
function placeNames(candidates: readonly Candidate[]): string {
  const names = [...new Set(candidates.map(({ via }) => via))];
  return names.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

/** Resolves the program that the user named; throws rather than looking elsewhere. */
function asTold(told: string, via: string, who: string, context: SearchContext): Candidate {
  // From where Baton was started: a path from the workspace on would let every workspace bring its own program.
  // `~` is the home of the user who wrote the path, even if the agent is given another one.
  const path = resolve(told.replace(/^~(?=\/)/, homeFolder()));
  const isOffered = offeredBy(context);
  const candidates = told.includes('/')
    ? [{ path, via }]
    : onPath(told, via, context).filter((each) => !isOffered(each.path));
  try {
    const found = firstUsable(candidates);
    if (found) return found;
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    throw new BatonError(error.code, `${who}: ${error.message}`, { hint: error.hint });
  }
  const problem = told.includes('/')
    ? (executableProblem(path)?.message ?? `${path} does not exist`)
    : `${told} is not on PATH`;
  throw new BatonError('backend_not_found', `${who}: ${problem}`, {
    hint: 'Fix the path, or omit it to search the usual places.',
  });
}

function localCandidates(
  { name, localFolder }: BinarySearch,
  { cwd, probing }: SearchContext,
): Candidate[] {
  const folder = localFolder?.(probing ? undefined : cwd);
  if (folder === undefined) return [];
  return [{ path: join(folder, 'node_modules/.bin', name), via: './node_modules/.bin' }];
}

function usualPlaces(name: string, context: SearchContext): Candidate[] {
  return [
    // A user who installs an agent for Baton wants Baton to use that one.
    { path: installedProgram(name, homeOf(context)), via: '~/.baton/agents' },
    { path: join(homeOf(context), '.local/bin', name), via: '~/.local/bin' },
    { path: join('/usr/local/bin', name), via: '/usr/local/bin' },
    { path: join('/opt/homebrew/bin', name), via: '/opt/homebrew/bin' },
    ...onPath(name, 'PATH', context),
  ];
}

/** A relative part of PATH means another folder in every workspace, so it is left out. */
function onPath(name: string, via: string, { env }: SearchContext): Candidate[] {
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute);
  return folders.map((folder) => ({ path: join(folder, name), via }));
}

function relativeOnPath(name: string, { cwd, env }: SearchContext): Candidate[] {
  const folders = (env.PATH ?? '').split(delimiter).filter((each) => each && !isAbsolute(each));
  return folders.map((folder) => ({ path: resolve(cwd, folder, name), via: 'PATH' }));
}

/** PATH without what the workspace could have put there: agents start programs by their names without asking. */
export function pathOutside(context: SearchContext): string | undefined {
  const isOffered = offeredBy(context);
  return context.env.PATH?.split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isOffered(join(folder, 'program')))
    .join(delimiter);
}

/** Returns a predicate that is true for programs that the workspace, or a repository around it, could have brought. */
export function offeredBy(context: SearchContext): (path: string) => boolean {
  const placeOf = offeringPlace(context);
  return (path) => placeOf(path) !== undefined;
}

/** Returns a function that finds the workspace or repository that could have brought a program. */
function offeringPlace(context: SearchContext): (path: string) => string | undefined {
  const { cwd, workspaces = [] } = context;
  const home = homeOf(context);
  const homes = [home, resolveLinks('/', home) ?? home];
  const places = distinct(
    [cwd, ...workspaces].flatMap((place) => [place, resolveLinks('/', place) ?? place]),
  );
  // A home folder under version control is the user's own, not something that a stranger brought.
  const around = places
    .flatMap(repositoriesAround)
    .filter((repository) => !homes.includes(repository));
  // An agent that works in the root of the machine can change every program there is.
  const roots = distinct([...places, ...around]).filter((folder) => folder !== '/');
  const below = distinct([...places, process.cwd()]);
  return (path) =>
    roots.find(
      (root) =>
        isInside(root, path, { inDoubt: true }) &&
        !(homes.includes(root) && isUsersOwn(home, path)),
    ) ?? below.find((place) => isFromNpmAbove(place, path));
}

/**
 * Folders in which users and Baton install programs for one user. Both are protected paths: no agent writes there
 * unasked.
 */
const USERS_PROGRAMS = ['.local/bin', '.baton/agents'];

/**
 * True if a program in the home folder was installed by the user who works there, rather than by a workspace inside it.
 */
function isUsersOwn(home: string, path: string): boolean {
  const isInstalled = USERS_PROGRAMS.some((folder) => path.startsWith(join(home, folder, '/')));
  if (!isInstalled) return false;
  const real = resolveLinks('/', path);
  if (real === undefined) return false;
  // Installers put the program itself beside the folder, and only a link into it.
  return (
    !isInside(home, real) ||
    ['.local', '.baton'].some((folder) => isInside(join(home, folder), real))
  );
}

function distinct(paths: readonly string[]): string[] {
  return [...new Set(paths)];
}

/** `npx` and `npm run` put the `node_modules/.bin` of every folder above the current one first on PATH. */
function isFromNpmAbove(place: string, path: string): boolean {
  const [, owner] = /^(.*)\/node_modules\/\.bin\/[^/]+$/.exec(path) ?? [];
  return owner !== undefined && isInside(owner || '/', place, { orEqual: true, inDoubt: true });
}

/** Every repository that a folder lies in: one may be inside of another. */
function repositoriesAround(folder: string): string[] {
  const parent = dirname(folder);
  const outer = parent === folder ? [] : repositoriesAround(parent);
  return isRepository(folder) ? [folder, ...outer] : outer;
}

/** An empty `.git` is none: sandboxes leave such folders behind. In a worktree or submodule it is a file. */
function isRepository(folder: string): boolean {
  const git = join(folder, '.git');
  return (
    existsSync(join(git, 'HEAD')) || statSync(git, { throwIfNoEntry: false })?.isFile() === true
  );
}

/** Skips what cannot be executed, but throws the reason when nothing better follows. */
function firstUsable(candidates: readonly Candidate[]): Candidate | undefined {
  let unusable: BatonError | undefined;
  for (const candidate of candidates) {
    const problem = executableProblem(candidate.path);
    if (!problem) return candidate;
    if (problem.code === 'backend_not_executable') unusable ??= problem;
  }
  if (unusable) throw unusable;
  return undefined;
}

function chosen(found: Candidate, { nativeOf }: BinarySearch): FoundBinary {
  const native = nativeOf?.(realpathSync(found.path));
  const all = native ? { path: native, via: found.via, launcher: found.path } : found;
  return { ...all, skipped: [] };
}

function homeOf({ home, env }: SearchContext): string {
  return home ?? env.HOME ?? homeFolder();
}
