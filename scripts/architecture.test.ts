import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Who may look into whom; docs/architecture.md shows the same table. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  runtime: ['protocol'],
  client: ['protocol'],
  store: ['protocol'],
  workspaces: ['protocol'],
  executor: ['protocol', 'runtime', 'client'],
  orchestra: ['protocol', 'runtime', 'client', 'store'],
  gateway: ['protocol', 'runtime', 'client', 'store'],
  runner: ['protocol', 'runtime', 'client', 'executor'],
  daemon: ['protocol', 'runtime', 'store', 'workspaces'],
  web: ['protocol', 'client'],
  cli: [
    'protocol',
    'runtime',
    'client',
    'store',
    'workspaces',
    'executor',
    'orchestra',
    'gateway',
    'runner',
    'daemon',
  ],
};

/** For test suites of others, and for a program that has to start quickly. */
const SIDE_DOORS = ['runtime/conformance', 'protocol/error'];

const sources = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: ROOT });

describe('the packages', () => {
  test('import only what the table allows, and only through the front door', () => {
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.flatMap(forbiddenImports)).toEqual([]);
  });

  test('declare the packages they import', () => {
    expect(Object.keys(MAY_IMPORT).flatMap(undeclaredImports)).toEqual([]);
  });

  test('the protocol does no input or output', () => {
    const files = sources.filter((path) => path.startsWith('packages/protocol/') && !isTest(path));
    const offenders = files.filter((path) =>
      importsOf(path).some((name) => name.startsWith('node:')),
    );
    expect(offenders).toEqual([]);
  });

  test('the client needs nothing that browsers do not have', () => {
    const files = sources.filter((path) => path.startsWith('packages/client/') && !isTest(path));
    expect(files.length).toBeGreaterThan(5);
    const offenders = files.filter((path) => {
      const isForNode = importsOf(path).some((name) => name.startsWith('node:'));
      return isForNode || /\b(process|Buffer)\./.test(readFileSync(join(ROOT, path), 'utf8'));
    });
    expect(offenders).toEqual([]);
  });

  test('a backend does not look into another backend', () => {
    const backendOf = (path: string) => /backends\/([^/]+)\//.exec(path)?.[1];
    const offenders = sources.filter((path) => {
      const own = backendOf(path);
      if (own === undefined) return false;
      const others = importsOf(path)
        .filter((name) => name.startsWith('.'))
        .map((name) => backendOf(join(path, '..', name)));
      return others.some((other) => other !== undefined && other !== own);
    });
    expect(offenders).toEqual([]);
  });

  test('the table is the one in the documentation', () => {
    const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
    for (const [name, allowed] of Object.entries(MAY_IMPORT)) {
      const row = new RegExp(`^\\| \`${name}\` \\|[^\\n]*\\| ([^|]+) \\| [^|]* \\|$`, 'm').exec(
        page,
      )?.[1];
      const words = name === 'cli' ? 'all but web' : allowed.join(', ') || '–';
      expect(`${name}: ${row?.trim()}`).toBe(`${name}: ${words}`);
    }
  });
});

function forbiddenImports(path: string): string[] {
  const own = packageOf(path);
  return importsOf(path).flatMap((name) => {
    const [scope, other = '', ...deep] = name.split('/');
    if (scope !== '@baton') return [];
    const allowed = other === own || (MAY_IMPORT[own]?.includes(other) ?? false);
    const isDoor = deep.length === 0 || SIDE_DOORS.includes([other, ...deep].join('/'));
    return allowed && isDoor && other !== own ? [] : [`${path} imports ${name}`];
  });
}

function undeclaredImports(name: string): string[] {
  const files = sources.filter((path) => packageOf(path) === name && !isTest(path));
  if (files.length === 0) return [];
  const manifest = JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'));
  const declared = Object.keys(manifest.dependencies ?? {});
  const used = new Set(
    files
      .flatMap(importsOf)
      .filter((each) => /^[@a-z]/.test(each) && !each.startsWith('node:'))
      .map((each) =>
        each
          .split('/')
          .slice(0, each.startsWith('@') ? 2 : 1)
          .join('/'),
      ),
  );
  return [...used]
    .filter((each) => !declared.includes(each))
    .map((each) => `${name} uses ${each} without declaring it`);
}

function isTest(path: string): boolean {
  return /\.test\.ts$|\/testing(\.ts$|\/)/.test(path);
}

function packageOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function importsOf(path: string): string[] {
  const source = readFileSync(join(ROOT, path), 'utf8');
  return [...source.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map((match) => match[1] ?? '');
}
