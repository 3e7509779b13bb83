import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from './build-page.ts';
import { bundleCli } from './bundle-cli.ts';
import { compileLibrary } from './compile-library.ts';

const ROOT = join(import.meta.dirname, '../..');
const LIBRARIES = ['protocol', 'runtime'];

type Manifest = Record<string, unknown> & {
  exports?: Record<string, string>;
  bin?: Record<string, string>;
};

/** Builds each package into a `dist` folder that can be published as it is. */
for (const name of LIBRARIES) {
  const folder = emptied(name);
  compileLibrary(ROOT, folder);
  const manifest = readManifest(folder);
  const exports = Object.entries(manifest.exports ?? {}).map(([entry, source]) => {
    const built = source.replace(/^\.\/src\//, './').replace(/\.ts$/, '');
    return [entry, { types: `${built}.d.ts`, default: `${built}.js` }];
  });
  finish(folder, { ...manifest, exports: Object.fromEntries(exports) });
}

const cli = emptied('cli');
await bundleCli(cli, join(ROOT, 'packages/runtime'), join(cli, 'dist'));
await buildPage(join(cli, 'dist/page'));
const { dependencies: _bundled, exports: _none, ...manifest } = readManifest(cli);
finish(cli, { ...manifest, type: 'commonjs', bin: { baton: './main.js' } });

/** The folder of a package, without what was built before. */
function emptied(name: string): string {
  const folder = join(ROOT, 'packages', name);
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  return folder;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function finish(folder: string, manifest: Manifest): void {
  writeFileSync(join(folder, 'dist/package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const file of ['LICENSE', 'README.md']) {
    const own = join(folder, file);
    cpSync(existsSync(own) ? own : join(ROOT, file), join(folder, 'dist', file));
  }
  console.log(`built ${join('packages', manifest.name as string, 'dist').replace('@baton/', '')}`);
}
