import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Bundles the command into a few files, so that it starts without stripping types or resolving packages. */
export async function bundleCli(cli: string, runtime: string): Promise<void> {
  await build({
    entryPoints: {
      main: join(cli, 'src/main.ts'),
      'demo-agent': join(runtime, 'src/backends/demo/demo-agent.ts'),
    },
    outdir: join(cli, 'dist'),
    bundle: true,
    splitting: true,
    minifySyntax: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    legalComments: 'none',
    banner: { js: REQUIRE },
    logLevel: 'warning',
  });
  chmodSync(join(cli, 'dist/main.js'), 0o755);
}

/** Bundled CommonJS packages ask for `require`, which modules do not have. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";
