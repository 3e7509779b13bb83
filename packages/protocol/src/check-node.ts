import { BatonError } from './error.ts';

const NEEDED = { major: 22, minor: 14 };

checkNode(globalThis.process?.versions?.node);

/** Fails on a Node that lacks what Baton is written with, before that becomes an error without a meaning. Browsers pass. */
export function checkNode(version: string | undefined): void {
  if (version === undefined) return;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor)) return;
  const needed = `${NEEDED.major}.${NEEDED.minor}`;
  throw new BatonError('usage', `Baton requires Node ${needed} or newer; this is ${version}.`, {
    hint: 'Install a newer Node with your package manager or "npm install node@24".',
  });
}
