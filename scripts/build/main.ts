import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from './build-page.ts';
import { bundleCli } from './bundle-cli.ts';
import { compiledAgentTemplate } from './bundle-compiled-agent.ts';
import { compileLibrary } from './compile-library.ts';
import {
  copySources,
  internalPackages,
  type Manifest,
  publishedManifest,
  readManifest,
} from './internal-packages.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

const ROOT = join(import.meta.dirname, '../..');
const PACKAGES = join(ROOT, 'packages');
const TARBALLS = join(ROOT, 'dist');
const LIBRARIES = ['protocol', 'runtime', 'client'];
/** The entry that only the other packages of Baton use, which are bundled with it. */
const INTERNAL = './internal';

/** Builds each public package into its folder `dist`, and packs that into a tarball in the folder `dist` of the root. */
rmSync(TARBALLS, { recursive: true, force: true });
mkdirSync(TARBALLS);
for (const name of LIBRARIES) {
  const folder = emptied(name);
  const internal = internalPackages(PACKAGES, name, LIBRARIES);
  copySources(PACKAGES, name, internal, join(folder, 'dist/src'));
  compileLibrary(ROOT, folder);
  const manifest = publishedManifest(PACKAGES, name, internal);
  const published = Object.entries(manifest.exports ?? {}).filter(([entry]) => entry !== INTERNAL);
  const exports = published.map(([entry, source]) => {
    const built = source.replace(/^\.\/src\//, './lib/').replace(/\.ts$/, '');
    return [entry, { types: `${built}.d.ts`, default: `${built}.js` }];
  });
  finish(folder, { ...manifest, exports: Object.fromEntries(exports) });
}

const cli = emptied('cli');
const modules = [
  ...(await bundleCli(cli, join(PACKAGES, 'agents'), join(cli, 'dist'))),
  ...(await buildPage(join(cli, 'dist/page'))),
];
writeFileSync(join(cli, 'dist/agent-template.js'), await compiledAgentTemplate());
writeFileSync(join(cli, 'dist/THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(modules));
cpSync(join(ROOT, 'schemas'), join(cli, 'dist/schemas'), { recursive: true });
const { dependencies: _bundled, devDependencies: _tests, ...manifest } = readManifest(cli);
finish(cli, {
  ...manifest,
  type: 'commonjs',
  bin: { baton: './main.js' },
  // It is a command: nothing of it is there to be imported.
  exports: { './package.json': './package.json' },
});

/** The folder of a package, without what was built before. */
function emptied(name: string): string {
  const folder = join(PACKAGES, name);
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  return folder;
}

function finish(folder: string, manifest: Manifest): void {
  const dist = join(folder, 'dist');
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(ROOT, 'LICENSE'), join(dist, 'LICENSE'));
  cpSync(join(folder, 'README.md'), join(dist, 'README.md'));
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', TARBALLS];
  const tarball = execFileSync('npm', pack, { cwd: dist, encoding: 'utf8' });
  console.log(`built dist/${tarball.trim()}`);
}
