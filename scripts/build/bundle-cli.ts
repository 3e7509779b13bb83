import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/**
 * Bundles the command into few files, because each one costs a millisecond at every start, and so does what it
 * imports. They are CommonJS, which Node starts 10 ms sooner than modules of this size.
 */
export async function bundleCli(cli: string, runtime: string): Promise<void> {
  const common: BuildOptions = {
    outdir: join(cli, 'dist'),
    bundle: true,
    minifySyntax: true,
    minifyWhitespace: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    // In CommonJS `import()` would start the loader of modules after all; `require` does the same.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
    legalComments: 'none',
    logLevel: 'warning',
  };
  await build({
    ...common,
    entryPoints: {
      main: join(cli, 'src/main.ts'),
      cli: join(cli, 'src/cli.ts'),
      'demo-agent': join(runtime, 'src/backends/demo/demo-agent.ts'),
    },
    plugins: [APART, HOISTED],
  });
  await build({ ...common, entryPoints: { ajv: join(runtime, 'src/emulate/ajv.ts') } });
  chmodSync(join(cli, 'dist/main.js'), 0o755);
}

/** Files of their own: the command itself, so that `--version` does not load it, and Ajv, which few runs need. */
const APART: Plugin = {
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: /\/(cli|ajv)\.ts$/ }, ({ path, kind }) =>
      kind === 'dynamic-import'
        ? { path: `./${path.split('/').at(-1)?.replace('.ts', '.js')}`, external: true }
        : undefined,
    );
  },
};

/**
 * Commands and backends are loaded when they are needed, but not within the bundle: what is loaded late is wrapped
 * in functions together with all that it imports, and V8 keeps no code for those: it compiles them at every start.
 */
const HOISTED: Plugin = {
  name: 'hoisted',
  setup({ onLoad }) {
    onLoad({ filter: /\/(commands\/index|backends\/\w+\/entry)\.ts$/ }, ({ path }) => {
      const imports: string[] = [];
      const source = readFileSync(path, 'utf8').replaceAll(
        /await import\('(.+?)'\)/g,
        (_, from) => {
          const name = `hoisted${imports.length}`;
          imports.push(`import * as ${name} from '${from}';`);
          return name;
        },
      );
      return { contents: [...imports, source].join('\n'), loader: 'ts' };
    });
  },
};
