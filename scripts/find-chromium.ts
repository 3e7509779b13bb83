import { installedProgram, installProgram } from './debian-program.ts';

/** The first one has no windows, which nobody sees here, and needs a third less time for the same pages. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
const PACKAGES = [
  ['chromium-headless-shell', 'fonts-noto-cjk'],
  ['chromium', 'fonts-noto-cjk'],
];

/** The browser that the page is tested with: the one in BATON_CHROMIUM, one that is installed, or one that is installed now. */
export function ensureChromium(): string {
  const found = process.env.BATON_CHROMIUM || installedProgram(NAMES) || installNow();
  if (found) return found;
  throw new Error(
    'The page is tested with Chromium, which is not installed and could not be. Install it (on Debian as root: apt-get install chromium), or name its program in BATON_CHROMIUM.',
  );
}

function installNow(): string | undefined {
  console.error('Installing Chromium for the tests of the page. This is needed once.');
  return installProgram(NAMES, PACKAGES);
}
