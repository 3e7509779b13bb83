import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROBE = ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', 'true'];

/** Returns why bubblewrap does not work here, or undefined if it does; installs Debian's package if it is missing. */
export async function bubblewrapProblem(): Promise<string | undefined> {
  if (await works()) return undefined;
  if (process.getuid?.() === 0) {
    await run('apt-get', ['install', '-y', 'bubblewrap'], { timeout: 60_000 }).catch(() => {});
  }
  return (await works()) ? undefined : 'bubblewrap cannot be used on this machine';
}

async function works(): Promise<boolean> {
  return run('bwrap', PROBE).then(
    () => true,
    () => false,
  );
}
