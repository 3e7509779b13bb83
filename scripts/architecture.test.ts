import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { closingImports, type Import } from './folder-cycles.ts';

const ROOT = join(import.meta.dirname, '..');
const DAEMON = 'packages/daemon/src/';

/** Allowed imports between packages; docs/architecture.md shows the same table. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  config: ['protocol'],
  process: ['protocol', 'config'],
  engine: ['protocol', 'config', 'process'],
  agents: ['protocol', 'config', 'process', 'engine'],
  contracts: ['protocol', 'config', 'engine', 'agents'],
  'agent-tools': ['protocol', 'config', 'process', 'engine', 'agents'],
  runtime: ['protocol', 'engine', 'agents', 'contracts', 'agent-tools'],
  client: ['protocol'],
  store: ['protocol'],
  workspaces: ['protocol', 'config', 'process'],
  host: ['protocol', 'config', 'process', 'engine', 'agents', 'store', 'workspaces'],
  executor: ['protocol', 'config', 'process', 'engine', 'agents', 'client', 'workspaces'],
  orchestra: ['protocol', 'config', 'engine', 'agents', 'contracts', 'store'],
  gateway: ['protocol', 'config', 'process', 'engine', 'agents', 'contracts', 'store', 'host'],
  runner: ['protocol', 'config', 'process', 'client', 'executor'],
  daemon: [
    'protocol',
    'config',
    'process',
    'engine',
    'agents',
    'agent-tools',
    'store',
    'workspaces',
    'orchestra',
  ],
  web: ['protocol', 'client'],
  cli: [
    'protocol',
    'config',
    'process',
    'engine',
    'agents',
    'contracts',
    'agent-tools',
    'runtime',
    'client',
    'store',
    'workspaces',
    'host',
    'executor',
    'orchestra',
    'gateway',
    'runner',
    'daemon',
  ],
};

/**
 * Allowed imports between folders of the daemon, from the bottom up: none imports one that comes after it. Files beside
 * the folders put the daemon together; docs/architecture.md shows the same table.
 */
const DAEMON_LAYERS: Readonly<Record<string, readonly string[]>> = {
  logs: [],
  records: [],
  rules: [],
  feed: [],
  'hand-over': [],
  schema: [],
  workspaces: [],
  security: ['logs'],
  access: ['records', 'security'],
  service: ['access', 'schema'],
  metrics: ['service'],
  openapi: ['access', 'schema', 'service'],
  http: ['access', 'metrics', 'openapi', 'service'],
  compat: ['access', 'feed', 'records', 'service'],
  settings: ['compat', 'service'],
  commands: ['rules', 'settings'],
  requests: ['commands', 'rules'],
  retention: ['settings'],
  pool: ['commands', 'security', 'settings'],
  chains: ['commands', 'feed', 'settings'],
  services: [
    'access',
    'chains',
    'commands',
    'compat',
    'feed',
    'hand-over',
    'pool',
    'records',
    'security',
    'service',
    'settings',
    'workspaces',
  ],
};
const ENGINE = 'packages/engine/src/';
/** The folders of the engine, from the bottom up, and the ones below that each may import. */
const ENGINE_LAYERS: Readonly<Record<string, readonly string[]>> = {
  definition: [],
  normalize: ['definition'],
  kit: ['definition', 'normalize'],
  emulate: ['definition'],
  prices: ['definition'],
  options: ['definition', 'prices'],
  run: ['definition', 'emulate', 'normalize', 'options', 'prices'],
};

/** The files that build the services; no other file outside of `services` imports them. */
const BUILDS_SERVICES = ['app.ts', 'index.ts'];

/** Packages whose folders docs/architecture.md lists from the bottom up. */
const ORDERED = ['protocol', 'config', 'agents', 'agent-tools', 'store', 'executor', 'web', 'cli'];

const sources = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: ROOT });

describe('the packages', () => {
  test('import only what the table allows, and only through its entries', () => {
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

  test('the client imports only types from the wire, so it includes no schemas', () => {
    const wire = /^(import|export) (type )?[^;]*from '@baton\/protocol\/wire';$/gm;
    const imports = sources
      .filter((path) => /^packages\/(client|web)\//.test(path))
      .flatMap((path) => [...readFileSync(join(ROOT, path), 'utf8').matchAll(wire)]);
    expect(imports.length).toBeGreaterThan(3);
    expect(imports.filter(([, , type]) => type === undefined)).toEqual([]);
  });

  test('a backend does not import another backend', () => {
    const backendOf = (path: string) => /backends\/([^/]+)\//.exec(path)?.[1];
    const offenders = sources.filter((path) => {
      const own = backendOf(path);
      if (own === undefined) return false;
      const others = importsOf(path)
        .filter((name) => name.startsWith('.'))
        .map((name) => backendOf(join(path, '..', name)));
      // `codex-sdk` is another way to the agent of `codex`.
      return others.some(
        (other) => other !== undefined && other !== own && !own.startsWith(`${other}-`),
      );
    });
    expect(offenders).toEqual([]);
  });

  test('the entry of a backend loads nothing of its adapter', () => {
    const LIGHT = [
      '@baton/engine/definition/backend-entry',
      '@baton/engine/definition/mcp-file',
      '../../dialects/acp/capabilities.ts',
      '@baton/engine/kit/capabilities',
      '@baton/config/settings/own-agents',
      '@baton/config/values/command-words',
      '@baton/protocol/values',
      './capabilities.ts',
      '../../dialects/acp/known-agents.ts',
      './native-binary.ts',
      './protocol.ts',
    ];
    const entries = sources.filter((path) => /\/backends\/[^/]+\/index\.ts$/.test(path));
    expect(entries.length).toBeGreaterThan(3);
    const heavy = entries.flatMap((path) =>
      staticImportsOf(path).filter((name) => !LIGHT.includes(name)),
    );
    expect(heavy).toEqual([]);
  });

  test('what edits and checks MCP servers is loaded only when it is used', () => {
    const outside = sources.filter(
      (path) =>
        /^packages\/(?:engine|agents|agent-tools|runtime|cli|daemon)\//.test(path) &&
        !path.includes('/mcp-config/') &&
        !isTest(path),
    );
    expect(outside.length).toBeGreaterThan(100);
    const late =
      /mcp-config\/index\.ts$|^jsonc-parser|^toml-eslint-parser|^@modelcontextprotocol\//;
    const offenders = outside.filter((path) => loadedBy(path).some((name) => late.test(name)));
    expect(offenders).toEqual([]);
    const check = 'packages/agent-tools/src/mcp-config/check-server.ts';
    expect(loadedBy(check)).not.toContain('@modelcontextprotocol/client');
  });

  test('a dialect does not import a backend', () => {
    const shared = /^packages\/agents\/src\/dialects\//;
    const files = sources.filter((path) => shared.test(path) && !isTest(path));
    expect(files.length).toBeGreaterThan(20);
    const offenders = files.filter((path) =>
      importsOf(path).some((name) => join(path, '..', name).includes('/backends/')),
    );
    expect(offenders).toEqual([]);
  });

  test('the folders of the engine import only what their layer allows', () => {
    const files = sources.filter(
      (path) => path.startsWith(ENGINE) && !isTest(path) && !path.includes('/testing/'),
    );
    expect(files.length).toBeGreaterThan(60);
    const folderOf = (path: string) => {
      const [folder, ...rest] = path.slice(ENGINE.length).split('/');
      // A file beside the folders is an entry point.
      return rest.length > 0 ? folder : undefined;
    };
    const offenders = files.filter((path) => {
      const own = folderOf(path);
      const allowed = own === undefined ? undefined : (ENGINE_LAYERS[own] ?? []);
      return importsOf(path)
        .filter((name) => name.startsWith('.'))
        .map((name) => folderOf(join(path, '..', name)))
        .some((other) => other && other !== own && allowed?.includes(other) === false);
    });
    expect(offenders).toEqual([]);
  });

  test('no folder of the engine may import one of a higher layer', () => {
    const order = Object.keys(ENGINE_LAYERS);
    for (const [name, allowed] of Object.entries(ENGINE_LAYERS)) {
      const below = order.slice(0, order.indexOf(name));
      expect(
        allowed.filter((each) => !below.includes(each)),
        name,
      ).toEqual([]);
    }
  });

  test('the layers of the engine are those in the documentation', () => {
    const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
    const section = page.slice(page.indexOf('### The layers of the engine'));
    const rows = [...section.matchAll(/^\| `([a-z-]+)\/` \| ([^|]+) \|$/gm)].slice(
      0,
      Object.keys(ENGINE_LAYERS).length,
    );
    expect(rows.map(([, name, allowed]) => `${name}: ${allowed}`)).toEqual(
      Object.entries(ENGINE_LAYERS).map(([name, below]) => `${name}: ${below.join(', ') || '–'}`),
    );
  });

  test('the folders of the daemon import only what their layer allows', () => {
    const files = sources.filter((path) => path.startsWith(DAEMON) && !isTest(path));
    expect(files.length).toBeGreaterThan(100);
    expect(files.flatMap(layerViolations)).toEqual([]);
  });

  test('no folder of the daemon may import one of a higher layer', () => {
    const order = Object.keys(DAEMON_LAYERS);
    for (const [name, allowed] of Object.entries(DAEMON_LAYERS)) {
      const below = order.slice(0, order.indexOf(name));
      expect(
        allowed.filter((each) => !below.includes(each)),
        name,
      ).toEqual([]);
    }
  });

  test.each([...new Set(sources.map(packageOf))])(
    'no folder of %s takes part in an import cycle, types included',
    (name) => {
      expect(closingImports(importsWithin(name))).toEqual([]);
    },
  );

  test.each(ORDERED)('the folders of %s have the order in the documentation', (name) => {
    const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
    const row = new RegExp(`^\\| \`${name}\` \\| ([^|]+) \\|$`, 'm').exec(page)?.[1] ?? '';
    const order = [...row.matchAll(/`([a-z-]+)\/`/g)].map((match) => match[1]);
    const offenders = importsWithin(name).filter((each) => {
      const [from, to] = each.map((path) => path.split('/').slice(0, -1)[0]);
      if (from === undefined || to === undefined) return false;
      const areListed = order.includes(from) && order.includes(to);
      return !areListed || order.indexOf(to) > order.indexOf(from);
    });
    expect(offenders).toEqual([]);
  });

  test('the layers of the daemon are those in the documentation', () => {
    const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
    for (const [name, allowed] of Object.entries(DAEMON_LAYERS)) {
      const row = new RegExp(`^\\| \`${name}/\` \\|[^\\n]*\\| ([^|]+) \\|$`, 'm').exec(page)?.[1];
      expect(`${name}: ${row?.trim()}`).toBe(`${name}: ${allowed.join(', ') || '–'}`);
    }
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
    const isDoor = allowed && hasDoor(other, ['.', ...deep].join('/'));
    return isDoor && other !== own ? [] : [`${path} imports ${name}`];
  });
}

/** Looks in the manifest of a package for an entry, which may be a pattern for the files of a folder. */
function hasDoor(name: string, door: string): boolean {
  const { exports } = manifestOf(name);
  return Object.keys(exports).some((each) => {
    const [before = '', after] = each.split('*');
    return after === undefined ? each === door : door.startsWith(before) && door.endsWith(after);
  });
}

function manifestOf(name: string) {
  return JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'));
}

function layerViolations(path: string): string[] {
  const own = path.slice(DAEMON.length).split('/')[0] ?? '';
  const folders = importsOf(path)
    .filter((name) => name.startsWith('.'))
    .map((name) => join(path, '..', name).slice(DAEMON.length).split('/'))
    .flatMap(([folder = '', ...rest]) => (rest.length > 0 && folder !== own ? [folder] : []));
  return folders
    .filter((folder) => {
      const allowed = DAEMON_LAYERS[own];
      if (allowed) return !allowed.includes(folder);
      return folder === 'services' && !BUILDS_SERVICES.includes(own);
    })
    .map((folder) => `${path} imports ${folder}/`);
}

/** The imports of a package's files by each other; tests may import what they like. */
function importsWithin(name: string): Import[] {
  const root = `packages/${name}/src/`;
  return sources
    .filter((path) => path.startsWith(root) && !isTest(path))
    .flatMap((path) =>
      importsOf(path)
        .filter((each) => each.startsWith('.'))
        .map((each) => join(path, '..', each))
        .filter((target) => target.startsWith(root))
        .map((target): Import => [path.slice(root.length), target.slice(root.length)]),
    );
}

function undeclaredImports(name: string): string[] {
  const files = sources.filter((path) => packageOf(path) === name && !isTest(path));
  if (files.length === 0) return [];
  const manifest = manifestOf(name);
  // A peer is for what the library itself never loads: only the command has it as a dependency.
  const declared = Object.keys({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
  });
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

function staticImportsOf(path: string): string[] {
  const source = readFileSync(join(ROOT, path), 'utf8');
  return [...source.matchAll(/\bfrom '([^']+)'/g)].map((match) => match[1] ?? '');
}

/** Returns the modules that a file loads with itself: neither types nor dynamic imports. */
function loadedBy(path: string): string[] {
  const source = readFileSync(join(ROOT, path), 'utf8');
  const values = source.replaceAll(/^(?:import|export) type [^;]*;/gm, '');
  return [...values.matchAll(/\bfrom '([^']+)'/g)].map((match) => match[1] ?? '');
}

function importsOf(path: string): string[] {
  const source = readFileSync(join(ROOT, path), 'utf8');
  return [...source.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map((match) => match[1] ?? '');
}
