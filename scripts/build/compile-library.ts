import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A relative import in a declaration, which TypeScript leaves as it is in the source. */
const SOURCE_IMPORT = /(\bfrom |\bimport\()'(\.{1,2}\/[^']+)\.ts'/g;

/**
 * Compiles the copied source of a package in `dist/src` to `dist/lib`, with declarations. The maps lead to the copy, which
 * is part of the published package.
 */
export function compileLibrary(root: string, folder: string): void {
  const config = join(folder, 'tsconfig.build.json');
  writeFileSync(
    config,
    JSON.stringify({
      extends: relative(folder, join(root, 'tsconfig.json')),
      compilerOptions: {
        noEmit: false,
        noEmitOnError: true,
        declaration: true,
        declarationMap: true,
        sourceMap: true,
        outDir: 'dist/lib',
        rootDir: 'dist/src',
      },
      include: ['dist/src'],
      exclude: [],
    }),
  );
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config], {
      stdio: 'inherit',
    });
  } finally {
    rmSync(config);
  }
  for (const declaration of globSync(join(folder, 'dist/lib/**/*.d.ts'))) {
    const text = readFileSync(declaration, 'utf8');
    writeFileSync(declaration, text.replaceAll(SOURCE_IMPORT, "$1'$2.js'"));
  }
}
