import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './install.mjs';

/** The oldest Node that the library supports is 22.14; its long-term release is what people have. */
const VERSION = '22.23.3';

/** Installs a Node 22 into a cache, unless it is there already, and gives its path. Several processes may do so at once. */
export function ensureNode22() {
  const folder = join(ROOT, '.cache', `node-${VERSION}`);
  const node = join(folder, 'node_modules/node/bin/node');
  if (existsSync(node)) return node;
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const draft = mkdtempSync(`${folder}-draft-`);
  const manifest = { private: true, allowScripts: { node: true } };
  writeFileSync(join(draft, 'package.json'), JSON.stringify(manifest));
  const install = ['install', '--no-audit', '--no-fund', `node@${VERSION}`];
  execFileSync('npm', install, { cwd: draft, stdio: ['ignore', 2, 2] });
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true });
    // Another process was faster.
    if (!existsSync(node)) throw error;
  }
  return node;
}
