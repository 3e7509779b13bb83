import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './install.mjs';

/** The oldest Node that the library supports is 22.14; its long-term release is what people have. */
const VERSION = '22.23.3';

/** Installs a Node 22 into a cache, unless it is there already, and gives its path. */
export function ensureNode22() {
  const folder = join(ROOT, '.cache', `node-${VERSION}`);
  const node = join(folder, 'node_modules/node/bin/node');
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, allowScripts: { node: true } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const install = ['install', '--no-audit', '--no-fund', `node@${VERSION}`];
  execFileSync('npm', install, { cwd: folder, stdio: ['ignore', 2, 2] });
  return node;
}
