import { realpathSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { BatonError } from '@baton/protocol';
import { homeFolder } from '../home-folder.ts';
import { executableProblem } from './executable.ts';

export type BinarySearch = {
  /** What the program is called, e.g. `claude`. */
  name: string;
  /** The environment variable that names it. What it names must work: nothing else is tried then. */
  envVar?: string;
  /** A path or a bare name from the user, which wins over everything. */
  explicit?: string;
  /** Finds the native binary behind a launcher script, given its real path, without running anything. */
  nativeOf?(launcher: string): string | undefined;
};

export type FoundBinary = {
  path: string;
  /** Where it was found: `option`, the name of the variable, the folder, or `PATH`. */
  via: string;
  /** The script that would have started it, when `path` is the native binary behind one. */
  launcher?: string;
};

export type SearchContext = {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  home?: string;
};

type Candidate = { path: string; via: string };

/** Finds an agent's program: where the user says, else in the project, the home directory, the usual places, PATH. */
export function findBinary(search: BinarySearch, context: SearchContext): FoundBinary {
  const { name, envVar, explicit } = search;
  if (explicit) return withNative(asTold(explicit, 'option', 'The given binary', context), search);
  const fromEnv = envVar && context.env[envVar];
  if (fromEnv) return withNative(asTold(fromEnv, envVar, envVar, context), search);

  const candidates = usualPlaces(name, context);
  const found = firstUsable(candidates);
  if (found) return withNative(found, search);
  throw new BatonError('backend_not_found', `${name} was not found in ${placeNames(candidates)}.`, {
    hint: `Install ${name}${envVar ? `, or set ${envVar} to its path` : ''}.`,
  });
}

/** The places by their short names; each folder of PATH would be a wall of words. */
function placeNames(candidates: readonly Candidate[]): string {
  const names = [...new Set(candidates.map(({ via }) => via))];
  return names.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

/** Follows what the user said, and complains about it rather than looking elsewhere. */
function asTold(told: string, via: string, who: string, context: SearchContext): Candidate {
  const path = resolve(context.cwd, told.replace(/^~(?=\/)/, homeOf(context)));
  const candidates = told.includes('/') ? [{ path, via }] : onPath(told, via, context);
  try {
    const found = firstUsable(candidates);
    if (found) return found;
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    throw new BatonError(error.code, `${who}: ${error.message}`, { hint: error.hint });
  }
  const problem = told.includes('/') ? `${path} does not exist` : `${told} is not on PATH`;
  throw new BatonError('backend_not_found', `${who}: ${problem}`, {
    hint: 'Correct the path, or leave it out to search the usual places.',
  });
}

function usualPlaces(name: string, context: SearchContext): Candidate[] {
  return [
    { path: join(context.cwd, 'node_modules/.bin', name), via: './node_modules/.bin' },
    { path: join(homeOf(context), '.local/bin', name), via: '~/.local/bin' },
    { path: join('/usr/local/bin', name), via: '/usr/local/bin' },
    { path: join('/opt/homebrew/bin', name), via: '/opt/homebrew/bin' },
    ...onPath(name, 'PATH', context),
  ];
}

function onPath(name: string, via: string, { cwd, env }: SearchContext): Candidate[] {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => ({ path: resolve(cwd, folder, name), via }));
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

function withNative(found: Candidate, { nativeOf }: BinarySearch): FoundBinary {
  const native = nativeOf?.(realpathSync(found.path));
  return native ? { path: native, via: found.via, launcher: found.path } : found;
}

function homeOf({ home, env }: SearchContext): string {
  return home ?? env.HOME ?? homeFolder();
}
