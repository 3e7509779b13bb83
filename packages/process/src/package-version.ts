import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';

/** Reads the version of the package that a binary belongs to, without running it. */
export function packageVersionNear(binaryPath: string): string | undefined {
  let file: string;
  try {
    file = realpathSync(binaryPath);
  } catch {
    return undefined;
  }
  return packageVersion(dirname(file)) ?? versionInPath(file);
}

function packageVersion(start: string): string | undefined {
  let folder = start;
  // A stray package.json in the home directory says nothing about a program below ~/.local.
  const home = homeFolder();
  while (folder !== home) {
    const version = versionIn(folder);
    if (version) return version;
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  return undefined;
}

/** Native installers and Homebrew keep each release in a folder or file that is named after it. */
function versionInPath(path: string): string | undefined {
  return path.split(sep).findLast((part) => /^\d+\.\d+\.\d+$/.test(part));
}

function versionIn(folder: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}
