import { readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { agentsFolder } from '@baton/config/paths/agents-folder';
import { homeFolder } from '@baton/config/paths/home-folder';
import { BatonError } from '@baton/protocol/values';
import { offeredBy, type SearchContext } from './find-binary.ts';

export type LibrarySearch = {
  /** The name of the backend, under which `baton backends install` keeps it. */
  id: string;
  /** The packages on npm that provide it, the best first. */
  packages: readonly string[];
  /** The environment variable that names the folder of the package. */
  envVar?: string;
  /** The folder of the package, from the user, which wins over everything. */
  explicit?: string;
};

export type FoundLibrary = {
  /** The package that was found. */
  name: string;
  version: string | undefined;
  folder: string;
  /** The file to import. */
  entry: string;
};

type Package = {
  name?: string;
  version?: string;
  main?: string;
  module?: string;
  exports?: unknown;
};

/**
 * Finds an agent that is a library: where the user says, beside Baton, among the agents that Baton installed, or among
 * the packages installed for all programs. The packages of a workspace are not used: an agent may have put them there.
 */
export function findLibrary(search: LibrarySearch, context: SearchContext): FoundLibrary {
  const { id, packages, envVar, explicit } = search;
  const named = explicit ?? (envVar ? context.env[envVar] : undefined);
  if (named) return fromUser(named, explicit ? 'The given folder' : (envVar ?? ''), context);
  const folders = [...besideBaton(), ...installed(id, context)];
  for (const name of packages) {
    for (const folder of folders) {
      const found = readPackage(join(folder, name));
      if (found) return found;
    }
  }
  const [first = ''] = packages;
  throw new BatonError('backend_not_found', `The package ${first} is not installed.`, {
    hint: `Run "baton backends install ${id}"${envVar ? `, or set ${envVar} to its folder` : ''}.`,
  });
}

function fromUser(named: string, who: string, context: SearchContext): FoundLibrary {
  const folder = resolve(named.replace(/^~(?=\/)/, context.home ?? homeFolder()));
  const found = readPackage(folder);
  if (found) return found;
  throw new BatonError(
    'backend_not_found',
    `${who}: ${folder} is not the folder of an npm package.`,
    {
      hint: 'Fix the path, or omit it to search the usual places.',
    },
  );
}

/** Folders in which Node would look for a dependency of Baton: as trustworthy as Baton itself. */
function besideBaton(): string[] {
  // Missing in what a bundler makes for CommonJS.
  let folder: string | undefined = import.meta.dirname;
  const folders: string[] = [];
  while (folder && folder !== dirname(folder)) {
    folders.push(join(folder, 'node_modules'));
    folder = dirname(folder);
  }
  return folders;
}

/** The folders of packages that were installed with `baton backends install` or `npm install -g`. */
function installed(id: string, context: SearchContext): string[] {
  const own = join(agentsFolder(context.home ?? homeFolder()), id, 'node_modules');
  const isOffered = offeredBy(context);
  const programs = (context.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  const global = [dirname(process.execPath), ...programs]
    .map((bin) => join(dirname(bin), 'lib/node_modules'))
    .filter((folder) => !isOffered(join(folder, 'package')));
  return [own, ...global];
}

/** Reads the package in a folder; nothing when there is none that can be imported. */
export function readPackage(folder: string): FoundLibrary | undefined {
  let found: Package;
  try {
    found = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch {
    return undefined;
  }
  const entry = join(folder, entryOf(found));
  if (!statSync(entry, { throwIfNoEntry: false })?.isFile()) return undefined;
  return { name: found.name ?? '', version: found.version, folder, entry };
}

function entryOf({ exports, module, main }: Package): string {
  return importOf(exports) ?? module ?? main ?? 'index.js';
}

/** Returns the file that `import` loads for the main entry of a package. */
function importOf(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return undefined;
  const { '.': main, import: imported, node, default: other } = exports as Record<string, unknown>;
  return importOf(main) ?? importOf(imported) ?? importOf(node) ?? importOf(other);
}
