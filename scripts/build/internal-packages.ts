import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export type Manifest = Record<string, unknown> & {
  exports?: Record<string, string>;
  bin?: Record<string, string>;
  sideEffects?: boolean | string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, unknown>;
};

const SCOPE = '@baton/';
const IS_FOR_TESTS = /\.test\.ts$|\/testing(\.ts|$)/;
/** An import of another package of Baton, static or not. */
const SIBLING_IMPORT = /((?:\bfrom|\bimport\()\s*)'(@baton\/[^']+)'/g;

/** Reads the manifest of a package from its folder. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Returns the packages that a public one depends on, directly or not, and that are not public themselves. */
export function internalPackages(
  packages: string,
  name: string,
  isPublic: readonly string[],
): string[] {
  const found = new Set<string>();
  const add = (each: string) => {
    const { dependencies = {} } = readManifest(join(packages, each));
    for (const dependency of Object.keys(dependencies)) {
      const sibling = dependency.startsWith(SCOPE) ? dependency.slice(SCOPE.length) : undefined;
      if (sibling === undefined || isPublic.includes(sibling) || found.has(sibling)) continue;
      found.add(sibling);
      add(sibling);
    }
  };
  add(name);
  return [...found].sort();
}

/**
 * Copies the source of a public package without its tests, and that of each internal package into a folder of its name.
 * Imports of internal packages become relative, so the published package needs no package that is not published.
 */
export function copySources(
  packages: string,
  name: string,
  internal: readonly string[],
  to: string,
): void {
  const filter = (path: string) => !IS_FOR_TESTS.test(path);
  cpSync(join(packages, name, 'src'), to, { recursive: true, filter });
  for (const each of internal) {
    cpSync(join(packages, each, 'src'), join(to, each), { recursive: true, filter });
  }
  const manifests = new Map(internal.map((each) => [each, readManifest(join(packages, each))]));
  for (const file of globSync(join(to, '**/*.ts'))) {
    const source = readFileSync(file, 'utf8');
    const changed = source.replaceAll(SIBLING_IMPORT, (all, before: string, specifier: string) => {
      const [sibling = '', ...door] = specifier.slice(SCOPE.length).split('/');
      const manifest = manifests.get(sibling);
      if (!manifest) return all;
      const target = doorFile(manifest, door.length === 0 ? '.' : `./${door.join('/')}`);
      const path = relative(dirname(file), join(to, sibling, target.replace(/^\.\/src\//, '')));
      return `${before}'${path.startsWith('.') ? path : `./${path}`}'`;
    });
    if (changed !== source) writeFileSync(file, changed);
  }
}

/** Returns the source file behind an entry of a manifest; throws for one that it does not have. */
export function doorFile({ name, exports = {} }: Manifest, door: string): string {
  const exact = exports[door];
  if (exact !== undefined) return exact;
  for (const [pattern, file] of Object.entries(exports)) {
    const [before = '', after] = pattern.split('*');
    if (after === undefined || !door.startsWith(before) || !door.endsWith(after)) continue;
    return file.replace('*', door.slice(before.length, door.length - after.length));
  }
  throw new Error(`${name} has no entry ${door}.`);
}

/** Returns the manifest of a public package with all that its internal packages need from npm. */
export function publishedManifest(
  packages: string,
  name: string,
  internal: readonly string[],
): Manifest {
  const { devDependencies: _tests, ...own } = readManifest(join(packages, name));
  const parts = internal.map((each) => readManifest(join(packages, each)));
  const all = [own, ...parts];
  const merged = (key: 'dependencies' | 'peerDependencies' | 'peerDependenciesMeta') =>
    Object.fromEntries(
      all
        .flatMap((manifest) => Object.entries(manifest[key] ?? {}))
        .filter(([each]) => !internal.includes(each.slice(SCOPE.length)))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  const optional = (key: 'peerDependencies' | 'peerDependenciesMeta') =>
    Object.keys(merged(key)).length > 0 ? { [key]: merged(key) } : {};
  const effects = all.flatMap(({ sideEffects }) => (Array.isArray(sideEffects) ? sideEffects : []));
  return {
    ...own,
    ...(effects.length > 0 ? { sideEffects: effects } : {}),
    dependencies: merged('dependencies') as Record<string, string>,
    ...optional('peerDependencies'),
    ...optional('peerDependenciesMeta'),
  };
}
