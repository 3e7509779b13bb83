import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first one has no windows, which nobody sees here, and needs a third less time for the same pages. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
const APT = ['apt-get', '-y', '-qq', '--no-install-recommends'] as const;
/** Each until there is a browser; not every system has packages of these names. */
const INSTALL: readonly (readonly string[])[] = [
  [...APT, 'update'],
  [...APT, 'install', 'chromium-headless-shell', 'fonts-noto-cjk'],
  [...APT, 'install', 'chromium', 'fonts-noto-cjk'],
];

/** The browser that the page is tested with: the one in BATON_CHROMIUM, one that is installed, or one that is installed now. */
export function ensureChromium(): string {
  const found = process.env.BATON_CHROMIUM || installed() || installNow();
  if (found) return found;
  throw new Error(
    'The page is tested with Chromium, which is not installed and could not be. Install it (on Debian as root: apt-get install chromium), or name its program in BATON_CHROMIUM.',
  );
}

function installNow(): string | undefined {
  console.error('Installing Chromium for the tests of the page. This is needed once.');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const [file = '', ...args] of INSTALL) {
    spawnSync(file, args, { stdio: ['ignore', 2, 2], env });
    const now = installed();
    if (now) return now;
  }
  return undefined;
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
