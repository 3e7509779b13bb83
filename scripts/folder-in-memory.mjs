import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** Four times what the tests keep at the same time. */
const ENOUGH_BYTES = 2 ** 30;

/**
 * Makes a folder in memory that is gone when this process ends, where the system has room for one. Databases and
 * browsers write through to the disk all the time, which tests, who throw everything away, need not wait for. Real
 * agents cannot work in it: their sandboxes have a /dev of their own.
 */
export function folderInMemory() {
  if (!hasRoom()) return undefined;
  const folder = mkdtempSync(join(MEMORY, 'baton-'));
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o1777);
  process.once('exit', () => {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Tests that were killed may have left something in use; what they found counts all the same.
    }
  });
  // Ctrl-C ends the test runner; this process exits after it.
  process.once('SIGINT', () => {});
  return folder;
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
