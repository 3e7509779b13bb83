import { opendir, realpath } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { BatonError } from '@baton/protocol';

/** Returns the real path of a folder; throws if it is not a readable folder. */
export async function readableFolder(path: string): Promise<string> {
  if (!isAbsolute(path)) {
    throw new BatonError('usage', `The folder must be an absolute path, not "${path}".`);
  }
  try {
    const real = await realpath(path);
    await (await opendir(real)).close();
    return real;
  } catch (error) {
    throw unreadable(path, (error as NodeJS.ErrnoException).code) ?? error;
  }
}

/** Returns the error for a folder that the system refuses to read; undefined for system failures. */
export function unreadable(path: string, code: string | undefined): BatonError | undefined {
  switch (code) {
    case 'ENOENT':
    case 'ENAMETOOLONG':
    case 'ELOOP':
      return new BatonError('not_found', `${path} does not exist on the daemon's machine.`, {
        hint: 'Check the path or create the folder.',
      });
    case 'ENOTDIR':
      return new BatonError('usage', `${path} is not a folder.`, { hint: 'Choose a folder.' });
    case 'EACCES':
    case 'EPERM':
      return new BatonError('forbidden', `The daemon has no permission to read ${path}.`, {
        hint: 'Grant its user read permission, or choose another folder.',
      });
    case 'ERR_INVALID_ARG_VALUE':
      return new BatonError('usage', 'The path contains a NUL character.');
    default:
      return undefined;
  }
}
