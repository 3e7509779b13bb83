import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type Rolldown } from 'vite';

const ROOT = join(import.meta.dirname, '../..');
const WEB = join(ROOT, 'packages/web');
const STAMP = '.built-from';
/** Everything that the page is made of. */
const SOURCES = ['packages/{web,client,protocol}/{src,public}/**/*.*', 'packages/web/*.*'];
const COMPRESSIBLE = /\.(html|js|css|svg|json)$/;

/**
 * Builds the page into a folder, with compressed copies of its files for the daemon to send. Returns the ids of the
 * modules that are part of it.
 */
export async function buildPage(folder = join(WEB, 'dist')): Promise<string[]> {
  const { NODE_ENV = 'production' } = process.env;
  // Where tests run it says `test`, and Vite would make another page.
  process.env.NODE_ENV = 'production';
  const { output } = (await build({
    configFile: join(WEB, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: folder },
  })) as Rolldown.RolldownOutput;
  process.env.NODE_ENV = NODE_ENV;
  const files = globSync('**/*.*', { cwd: folder }).filter((name) => COMPRESSIBLE.test(name));
  await Promise.all(files.map((name) => compress(join(folder, name))));
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/** Builds the page unless it is there already, made of the same files. */
export async function ensurePage(): Promise<void> {
  const stamp = join(WEB, 'dist', STAMP);
  const sources = hashOfSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  await buildPage();
  writeFileSync(stamp, sources);
}

async function compress(path: string): Promise<void> {
  const text = readFileSync(path);
  const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  writeFileSync(`${path}.br`, await promisify(brotliCompress)(text, best));
  writeFileSync(`${path}.gz`, await promisify(gzip)(text, { level: constants.Z_BEST_COMPRESSION }));
}

function hashOfSources(): string {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')));
  for (const name of globSync(SOURCES, { cwd: ROOT }).sort()) {
    hash.update(name).update(readFileSync(join(ROOT, name)));
  }
  return hash.digest('hex');
}
