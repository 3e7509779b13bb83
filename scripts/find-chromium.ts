import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const INSTALL: readonly (readonly string[])[] = [
  ['apt-get', 'update', '-qq'],
  ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-noto-cjk'],
];

/** The browser that the page is tested with: the one in BATON_CHROMIUM, one that is installed, or one that is installed now. */
export function ensureChromium(): string {
  const found = process.env.BATON_CHROMIUM || installed();
  if (found) return found;
  console.error('Installing Chromium for the tests of the page. This is needed once.');
  for (const [file = '', ...args] of INSTALL) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const { status } = spawnSync(file, args, { stdio: ['ignore', 2, 2], env });
    if (status !== 0) break;
  }
  const now = installed();
  if (now) return now;
  throw new Error(
    'The page is tested with Chromium, which is not installed and could not be. Install it (on Debian as root: apt-get install chromium), or name its program in BATON_CHROMIUM.',
  );
}

function installed(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
