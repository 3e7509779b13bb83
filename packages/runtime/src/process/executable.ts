import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { BatonError } from '@baton/protocol';

/** Says why there is nothing to execute at a path: missing, a directory, or without permission. */
export function executableProblem(path: string): BatonError | undefined {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new BatonError('backend_not_executable', `${path} cannot be looked at: ${reason}`, {
      hint: 'Name the program itself.',
      cause,
    });
  }
  if (!stats) return new BatonError('backend_not_found', `${path} does not exist`);
  if (!stats.isFile()) {
    const what = stats.isDirectory() ? 'a directory' : 'not a file';
    return new BatonError('backend_not_executable', `${path} is ${what}`, {
      hint: 'Name the program itself.',
    });
  }
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (cause) {
    return new BatonError('backend_not_executable', `${path} may not be executed`, {
      hint: `Allow it with: chmod +x ${path}`,
      cause,
    });
  }
}
