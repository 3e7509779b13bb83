import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type InputOptions, type OutputChunk, type OutputOptions, rolldown } from 'rolldown';

const HASH_LENGTH = 12;
const AGENT = /\/backends\/\w+\/index\.ts$/;

const INPUT: InputOptions = {
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  // Libraries of the daemon use it, on texts of their own.
  checks: { eval: false },
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
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
};

/**
 * Bundles the command into few files, because each one costs half a millisecond at every start, and so does what it
 * imports. They are CommonJS, which Node starts 10 ms sooner than modules of this size.
 */
export async function bundleCli(cli: string, runtime: string, dir: string): Promise<void> {
  const build = await bundleProgram(join(cli, 'src/cli.ts'), dir);
  const define = { BATON_BUILD: JSON.stringify(build) };
  await bundleAlone('main', join(cli, 'src/installed.ts'), dir, define);
  await bundleAlone('demo-agent', join(runtime, 'src/backends/demo/demo-agent.ts'), dir);
  chmodSync(join(dir, 'main.js'), 0o755);
}

async function bundleAlone(
  name: string,
  file: string,
  dir: string,
  define: Record<string, string> = {},
): Promise<void> {
  const transform = { ...INPUT.transform, define: { ...INPUT.transform?.define, ...define } };
  const bundle = await rolldown({ ...INPUT, transform, input: { [name]: file } });
  await bundle.write({ ...OUTPUT, dir, codeSplitting: false });
}

/**
 * Makes one file with what every run needs, one for each agent and for each other command, and some for what those
 * share; gives a hash of them all.
 */
async function bundleProgram(file: string, dir: string): Promise<string> {
  const bundle = await rolldown({ ...INPUT, input: { cli: file } });
  const { output } = await bundle.generate({ ...OUTPUT, chunkFileNames: '[name].js' });
  const needed = modulesOfEveryRun(output.filter((each) => each.type === 'chunk'));
  const again = await rolldown({ ...INPUT, input: { cli: file } });
  const program = await again.generate({
    ...OUTPUT,
    chunkFileNames: '[name].js',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: (id) => (needed.has(id) ? 'cli' : null), debugName: 'every run' }],
    },
    // The form in which the code cache takes them: one function, whose text needs no copy.
    postBanner: '(function (exports, require, module, __filename, __dirname) {',
    postFooter: '})',
  });
  const hash = createHash('sha256');
  mkdirSync(dir, { recursive: true });
  for (const chunk of program.output.filter((each) => each.type === 'chunk')) {
    const code = inAscii(chunk.code);
    hash.update(code);
    writeFileSync(join(dir, chunk.fileName), code);
  }
  return hash.digest('hex').slice(0, HASH_LENGTH);
}

/** A text in ASCII takes V8 half the memory, and no time to decode. */
function inAscii(code: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them
  return code.replaceAll(/[^\x00-\x7f]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
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
  const cli = chunks.filter(({ isEntry }) => isEntry).flatMap((chunk) => [...reached(chunk)]);
  const agents = chunks
    .filter(({ facadeModuleId }) => AGENT.test(facadeModuleId ?? ''))
    .flatMap((chunk) => [...reached(chunk)]);
  const common = agents.filter((chunk, index) => agents.indexOf(chunk) !== index);
  return new Set([...cli, ...common].flatMap(({ moduleIds }) => moduleIds));
}
