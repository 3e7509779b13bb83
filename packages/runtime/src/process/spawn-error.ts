import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { BatonError } from '@baton/protocol';
import { executableProblem } from './executable.ts';
import { formatProblem } from './executable-format.ts';

/** The part of a spawn request that decides whether it can work. */
export type Command = { file: string; args: readonly string[]; cwd: string };

/** Finds what would make a spawn fail, or do the wrong thing, before it is tried. */
export function problemBeforeSpawn(command: Command): BatonError | undefined {
  const cwdProblem = problemOfCwd(command.cwd);
  if (cwdProblem) return cwdProblem;
  const path = pathOf(command);
  // Only the system knows which file a bare name means in the PATH of the child.
  if (!path) return undefined;
  return executableProblem(path) ?? formatProblem(path);
}

/** Turns the error of a failed spawn into one that says which file it was and what to do. */
export function spawnError(cause: unknown, command: Command): BatonError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  const file = pathOf(command) ?? command.file;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return existsSync(file)
        ? new BatonError('backend_not_executable', `The loader that ${file} needs is missing`, {
            hint: 'It was built for another system library. Install the build for this system.',
            cause,
          })
        : new BatonError('backend_not_found', `${file} was not found`, { cause });
    case 'EACCES':
    case 'EPERM':
    case 'ENOEXEC':
      return new BatonError('backend_not_executable', `${file} cannot be executed (${code})`, {
        cause,
      });
    case 'E2BIG':
      return new BatonError('usage', `The arguments for ${file} are too long: ${sizes(command)}`, {
        hint: 'Pass long text through stdin or a file. One argument may have 128 KiB.',
        cause,
      });
    case 'ERR_INVALID_ARG_VALUE':
      return new BatonError('usage', `An argument for ${file} contains a null byte`, { cause });
    case 'EMFILE':
    case 'ENFILE':
    case 'EAGAIN':
    case 'ENOMEM':
      return new BatonError('internal', `No process could be started for ${file} (${code})`, {
        hint: 'The machine is out of processes, file handles or memory. Try again with fewer runs at once.',
        retryable: true,
        cause,
      });
    default:
      return new BatonError('backend_not_executable', `${file} could not be started (${code})`, {
        cause,
      });
  }
}

function problemOfCwd(cwd: string): BatonError | undefined {
  const stats = statSync(cwd, { throwIfNoEntry: false });
  if (!stats) return new BatonError('cwd_missing', `The directory ${cwd} does not exist`);
  if (!stats.isDirectory()) return new BatonError('cwd_missing', `${cwd} is not a directory`);
  try {
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (cause) {
    const hint = 'Give this user permission to enter it, or pass another directory.';
    return new BatonError('cwd_missing', `The directory ${cwd} may not be entered`, {
      hint,
      cause,
    });
  }
}

function pathOf({ file, cwd }: Command): string | undefined {
  if (isAbsolute(file)) return file;
  return file.includes('/') ? join(cwd, file) : undefined;
}

function sizes({ args }: Command): string {
  const bytes = args.map((arg) => Buffer.byteLength(arg));
  const total = bytes.reduce((sum, size) => sum + size, 0);
  return `${args.length} arguments with ${total} bytes, the longest ${Math.max(0, ...bytes)}`;
}
