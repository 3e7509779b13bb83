import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const APT = ['apt-get', '-y', '-qq', '--no-install-recommends'] as const;

/** Finds the first of some programs on PATH. */
export function installedProgram(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/** Installs groups of Debian packages, one after another until there is a program; not every system has all of them. */
export function installProgram(
  names: readonly string[],
  groups: readonly (readonly string[])[],
): string | undefined {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ...groups.map((packages) => ['install', ...packages])]) {
    const [file = '', ...first] = APT;
    spawnSync(file, [...first, ...args], { stdio: ['ignore', 2, 2], env });
    const now = installedProgram(names);
    if (now) return now;
  }
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
