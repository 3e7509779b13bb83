import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import {
  type InputOptions,
  type OutputAsset,
  type OutputChunk,
  type OutputOptions,
  rolldown,
} from 'rolldown';
import { inAscii, mapInAscii } from './ascii.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The adapter of an agent, which is loaded when it is needed. */
const AGENT = /\/backends\/([\w-]+)\/(?:index|backend)\.ts$/;
/** The code that runs any agent and keeps the files of its turn. It is loaded late, but every run of the command needs it. */
const RUN = /\/(engine\/src\/run\/define-backend|workspaces\/src\/turn\/turn)\.ts$/;

const INPUT: InputOptions = {
  platform: 'node',
  // Too large to include: `baton gateway` and `baton compile` load them from where npm installed them.
  external: ['discord.js', 'rolldown', './cli.js'],
  // Its main file is UMD, which hides from the bundler what it requires.
  resolve: { alias: { 'jsonc-parser': join(ROOT, 'node_modules/jsonc-parser/lib/esm/main.js') } },
  preserveEntrySignatures: 'allow-extension',
  // With it, the bundler panics where a package has two doors that are loaded late, such as `@baton/workspaces`.
  experimental: { chunkOptimization: { mergeCommonChunks: false } },
  checks: {
    // Libraries of the daemon use it, on texts of their own.
    eval: false,
    // What the library loads late may be part of every run of the command.
    ineffectiveDynamicImport: false,
  },
  // A library reads a WebSocket that it does not use; that alone makes Node load all it has for HTTP.
  treeshake: { propertyReadSideEffects: false },
  transform: {
    target: 'node24',
    define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
  },
};
const OUTPUT: OutputOptions = {
  format: 'cjs',
  entryFileNames: '[name].js',
  // In CommonJS `import()` would start the loader of modules after all; `require` does the same.
  dynamicImportInCjs: false,
  comments: { legal: false },
  sourcemap: true,
  // As seen from the root of the repository: the sources are embedded, and nothing outside of the package is named.
  sourcemapPathTransform: (source, map) => relative(ROOT, resolve(dirname(map), source)),
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
};

/**
 * Bundles the command into few files, because each one costs half a millisecond at every start, and so does what it
 * imports. They are CommonJS, which Node starts 10 ms sooner than modules of this size. Returns the ids of the modules
 * that are part of them.
 */
export async function bundleCli(cli: string, agents: string, dir: string): Promise<string[]> {
  const program = await bundleProgram(join(cli, 'src/cli.ts'));
  const chunks = [
    ...program,
    ...(await bundleAlone('main', join(cli, 'src/installed.ts'))),
    ...(await bundlePrograms(agents)),
  ];
  mkdirSync(dir, { recursive: true });
  for (const chunk of chunks) writeChunk(dir, chunk);
  chmodSync(join(dir, 'main.js'), 0o755);
  return chunks.flatMap(({ moduleIds }) => moduleIds);
}

/** The parts of a compiled agent, as CommonJS: its own program, and the programs that it starts. */
export async function bundleParts(): Promise<{ parts: OutputChunk[]; modules: string[] }> {
  const transform = { ...INPUT.transform, target: 'node22.14' };
  const input = { main: join(ROOT, 'packages/cli/src/compiled-agent/main.ts') };
  const bundle = await rolldown({ ...INPUT, transform, input });
  const { output } = await bundle.generate({ ...OUTPUT, chunkFileNames: chunkName });
  const parts = [...chunksOf(output), ...(await bundlePrograms(join(ROOT, 'packages/agents')))];
  return { parts, modules: parts.flatMap(({ moduleIds }) => moduleIds) };
}

/** The programs of Baton that run as processes of their own. */
async function bundlePrograms(agents: string): Promise<OutputChunk[]> {
  const backends = join(agents, 'src/backends');
  return [
    ...(await bundleAlone('demo-agent', join(backends, 'demo/demo-agent.ts'))),
    ...(await bundleHost('sdk-host', join(backends, 'codex-sdk/sdk-host.ts'))),
    ...(await bundleHost('pi-host', join(backends, 'pi/pi-host.ts'))),
  ];
}

async function bundleAlone(
  name: string,
  file: string,
  define: Record<string, string> = {},
  more: OutputOptions = {},
): Promise<OutputChunk[]> {
  const transform = { ...INPUT.transform, define: { ...INPUT.transform?.define, ...define } };
  const bundle = await rolldown({ ...INPUT, transform, input: { [name]: file } });
  const { output } = await bundle.generate({ ...OUTPUT, codeSplitting: false, ...more });
  return chunksOf(output);
}

/** The host of a library, which is a module: `require` does not take its URL. */
function bundleHost(name: string, file: string): Promise<OutputChunk[]> {
  return bundleAlone(name, file, {}, { dynamicImportInCjs: true });
}

/**
 * Makes one file with what every run needs, one for each agent and for each other command, and some for what those
 * share.
 */
async function bundleProgram(file: string): Promise<OutputChunk[]> {
  const bundle = await rolldown({ ...INPUT, input: { cli: file } });
  const { output } = await bundle.generate({ ...OUTPUT, chunkFileNames: chunkName });
  const needed = modulesOfEveryRun(chunksOf(output));
  const again = await rolldown({ ...INPUT, input: { cli: file } });
  const program = await again.generate({
    ...OUTPUT,
    chunkFileNames: chunkName,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: (id) => (needed.has(id) ? 'cli' : null), debugName: 'every run' }],
    },
  });
  return chunksOf(program.output);
}

function chunksOf(output: readonly (OutputChunk | OutputAsset)[]): OutputChunk[] {
  return output.filter((each) => each.type === 'chunk');
}

function writeChunk(dir: string, { fileName, code, map }: OutputChunk): void {
  writeFileSync(join(dir, fileName), inAscii(code));
  if (!map) return;
  const mappings = mapInAscii(code, map.mappings);
  writeFileSync(join(dir, `${fileName}.map`), JSON.stringify({ ...map, mappings }));
}

/** The file of an adapter is named after its agent. Libraries also have a `main`, which is the name of the command. */
function chunkName({ facadeModuleId, name }: { facadeModuleId?: string | null; name: string }) {
  const agent = AGENT.exec(facadeModuleId ?? '')?.[1];
  return agent === undefined && name === 'main' ? 'library.js' : `${agent ?? '[name]'}.js`;
}

/** Left to itself, the bundler makes a file of every set of modules that some files have in common. */
function modulesOfEveryRun(chunks: readonly OutputChunk[]): Set<string> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const reached = (from: OutputChunk, found = new Set<OutputChunk>()): Set<OutputChunk> => {
    if (found.has(from)) return found;
    found.add(from);
    for (const name of from.imports) {
      const next = byName.get(name);
      if (next) reached(next, found);
    }
    return found;
  };
  const cli = chunks
    .filter(({ isEntry, moduleIds }) => isEntry || moduleIds.some((id) => RUN.test(id)))
    .flatMap((chunk) => [...reached(chunk)]);
  const agents = chunks
    // `codex-sdk` is another way to Codex: what the two share is not for every run.
    .filter(({ facadeModuleId }) => AGENT.exec(facadeModuleId ?? '')?.[1]?.includes('-') === false)
    .flatMap((chunk) => [...reached(chunk)]);
  const common = agents.filter((chunk, index) => agents.indexOf(chunk) !== index);
  return new Set([...cli, ...common].flatMap(({ moduleIds }) => moduleIds));
}
