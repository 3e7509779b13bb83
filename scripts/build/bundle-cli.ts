import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { type ChunkingContext, type InputOptions, type OutputOptions, rolldown } from 'rolldown';

const INPUT: InputOptions = {
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
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
export async function bundleCli(cli: string, runtime: string): Promise<void> {
  const dir = join(cli, 'dist');
  await bundleAlone('main', join(cli, 'src/installed.ts'), dir);
  await bundleAlone('demo-agent', join(runtime, 'src/backends/demo/demo-agent.ts'), dir);
  await bundleProgram(join(cli, 'src/cli.ts'), dir);
  chmodSync(join(dir, 'main.js'), 0o755);
}

async function bundleAlone(name: string, file: string, dir: string): Promise<void> {
  const bundle = await rolldown({ ...INPUT, input: { [name]: file } });
  await bundle.write({ ...OUTPUT, dir, codeSplitting: false });
}

/** One file with all that is shared, and one for each agent and for each command but `run`. */
async function bundleProgram(file: string, dir: string): Promise<void> {
  const bundle = await rolldown({ ...INPUT, input: { cli: file } });
  let shared: Set<string> | undefined;
  const name = (id: string, context: ChunkingContext) => {
    shared ??= sharedModules(file, context);
    return shared.has(id) ? 'cli' : null;
  };
  await bundle.write({
    ...OUTPUT,
    dir,
    chunkFileNames: '[name].js',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name, debugName: 'shared' }],
    },
    // The form in which the code cache takes them: one function, whose text needs no copy.
    postBanner: '(function (exports, require, module, __filename, __dirname) {',
    postFooter: '})',
  });
}

/** What is loaded at the start, and what two of the files that are loaded later would have in common. */
function sharedModules(entry: string, context: ChunkingContext): Set<string> {
  const shared = closure(entry, context);
  const seen = new Set<string>();
  const starts = new Set([entry]);
  for (const start of starts) {
    for (const id of closure(start, context)) {
      if (seen.has(id)) shared.add(id);
      seen.add(id);
      for (const late of context.getModuleInfo(id)?.dynamicallyImportedIds ?? []) starts.add(late);
    }
  }
  return shared;
}

function closure(id: string, context: ChunkingContext, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const imported of context.getModuleInfo(id)?.importedIds ?? []) {
    closure(imported, context, found);
  }
  return found;
}
