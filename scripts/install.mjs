// Plain JavaScript for old Node versions: this runs before the right Node is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TRIES = 3;

/** Installs the dependencies when they are missing or out of date, and gives the path of the right Node. */
export function ensureInstalled() {
  const lock = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .update(readFileSync(join(ROOT, 'package.json')))
    .digest('hex');
  const stamp = join(ROOT, 'node_modules', '.baton-installed');
  const node = join(ROOT, 'node_modules', '.bin', 'node');
  const isCurrent = existsSync(stamp) && readFileSync(stamp, 'utf8') === lock && existsSync(node);
  if (isCurrent) return node;
  console.error('Installing dependencies. This is needed once and takes about a minute.');
  install();
  if (!existsSync(node))
    fail('The Node that Baton needs was not installed. Delete node_modules and try again.');
  writeFileSync(stamp, lock);
  return node;
}

/** Runs a command and passes its exit code on when it fails. */
export function run(file, args, options = {}) {
  const { status, error } = spawnSync(file, args, { cwd: ROOT, stdio: 'inherit', ...options });
  if (error) fail(error.message);
  if (status !== 0) process.exit(status ?? 1);
}

function install() {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: ROOT,
      stdio: ['ignore', 2, 2],
    });
    if (status === 0) return;
    console.error(`npm ci failed (try ${attempt} of ${TRIES}).`);
  }
  fail('The dependencies could not be installed. Check the network and run the command again.');
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
