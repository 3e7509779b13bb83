import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

/** A folder that does not exist: nothing is ever found in it, and no one can put anything there. */
const NOWHERE = '/dev/null';

/** The home folder of the user; one that does not exist for a user who has none, as in some containers. */
export function homeFolder(): string {
  return wholePath(homedir) ?? wholePath(() => userInfo().homedir) ?? NOWHERE;
}

function wholePath(find: () => string): string | undefined {
  try {
    const path = find();
    return isAbsolute(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
