import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { BatonError } from '@baton/protocol/values';

/** Says why there is nothing to execute at a path: missing, a directory, empty, or without permission. */
export function executableProblem(path: string): BatonError | undefined {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    // In a folder that this user cannot enter there is nothing to find, as for a shell.
    const isHidden = (cause as NodeJS.ErrnoException).code === 'EACCES';
    const code = isHidden ? 'backend_not_found' : 'backend_not_executable';
    return new BatonError(code, `Cannot access ${path}: ${reason}`, {
      hint: 'Use the path of the program itself.',
      cause,
    });
  }
  if (!stats) return new BatonError('backend_not_found', `${path} does not exist`);
  if (!stats.isFile()) {
    const what = stats.isDirectory() ? 'a directory' : 'not a file';
    return new BatonError('backend_not_executable', `${path} is ${what}`, {
      hint: 'Use the path of the program itself.',
    });
  }
  if (stats.size === 0) {
    return new BatonError('backend_not_executable', `${path} is empty`, {
      hint: 'Reinstall it.',
    });
  }
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (cause) {
    return new BatonError('backend_not_executable', `${path} is not executable`, {
      hint: `Make it executable with: chmod +x ${path}`,
      cause,
    });
  }
}
