// Plain JavaScript for old Node versions: this runs before the right Node is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TRIES = 3;

/** Installs the dependencies when they are missing or out of date, and gives the path of the right Node. */
export function ensureInstalled() {
  const node = join(ROOT, 'node_modules', '.bin', 'node');
  if (isInstalled(ROOT) && existsSync(node)) return node;
  console.error('Installing dependencies. This is needed once and takes about a minute.');
  install();
  if (!existsSync(node))
    fail('The Node that Baton needs was not installed. Delete node_modules and try again.');
  return node;
}

/**
 * Tells whether a folder has the packages of its lock file, whoever installed them: npm lists what it has installed in
 * node_modules/.package-lock.json, as its last step. Packages for other systems are not installed.
 */
export function isInstalled(root) {
  const wanted = packagesIn(join(root, 'package-lock.json'));
  const installed = packagesIn(join(root, 'node_modules', '.package-lock.json'));
  if (!wanted || !installed) return false;
  const paths = Object.keys(wanted).filter((path) => path !== '');
  return (
    paths.every((path) => (path in installed ? isSame(path) : wanted[path].optional)) &&
    Object.keys(installed).every((path) => path in wanted)
  );

  function isSame(path) {
    const [one, other] = [wanted[path], installed[path]];
    // The address of a package differs with the registry of the user.
    return ['version', 'integrity', 'link', 'bin'].every(
      (key) => JSON.stringify(one[key]) === JSON.stringify(other[key]),
    );
  }
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
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
