import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Compiles a package to JavaScript with declarations, leaving its tests away. */
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
        outDir: 'dist',
        rootDir: 'src',
      },
      include: ['src'],
      exclude: ['src/**/*.test.ts', 'src/**/testing.ts', 'src/**/testing/**'],
    }),
  );
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config], {
      stdio: 'inherit',
    });
  } finally {
    rmSync(config);
  }
}
