import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
} from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import { executableProblem } from './executable-problem.ts';

/** The part of a spawn request that decides whether it can work. */
export type Command = {
  file: string;
  args: readonly string[];
  cwd: string;
  env?: Readonly<Record<string, string | undefined>>;
};

/** Finds what would make a spawn fail, or do the wrong thing, before it is tried. */
export function problemBeforeSpawn(command: Command): BatonError | undefined {
  const cwdProblem = problemOfCwd(command.cwd);
  if (cwdProblem) return cwdProblem;
  const path = pathOf(command);
  // Only the system knows which file a bare name means in the PATH of the child.
  if (!path) return undefined;
  return executableProblem(path) ?? foreignBinaryProblem(path);
}

/** Turns the error of a failed spawn into one that says which file it was and what to do. */
export function spawnError(cause: unknown, command: Command): BatonError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  const file = pathOf(command) ?? command.file;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return existsSync(file)
        ? missingInterpreter(file, cause)
        : new BatonError('backend_not_found', `${file} was not found`, { cause });
    case 'EACCES':
      if (isMissing(command)) {
        return new BatonError('backend_not_found', `${file} was not found`, { cause });
      }
      return new BatonError('backend_not_executable', `${file} cannot be executed (${code})`, {
        cause,
      });
    case 'EPERM':
    case 'ENOEXEC':
      return new BatonError('backend_not_executable', `${file} cannot be executed (${code})`, {
        cause,
      });
    case 'E2BIG':
      return new BatonError('usage', `The arguments for ${file} are too long: ${sizes(command)}`, {
        hint: 'Pass long text on stdin or in a file. The limit for one argument is 128 KiB.',
        cause,
      });
    case 'ERR_INVALID_ARG_VALUE':
      return new BatonError('usage', `An argument for ${file} contains a null byte`, { cause });
    case 'EMFILE':
    case 'ENFILE':
    case 'EAGAIN':
    case 'ENOMEM':
      return new BatonError('no_resources', `Cannot start a process for ${file} (${code})`, {
        cause,
      });
    default:
      return new BatonError('backend_not_executable', `Cannot start ${file} (${code})`, {
        cause,
      });
  }
}

/** True if no folder of PATH has the program: the system also reports folders that the user may not look into. */
function isMissing(command: Command): boolean {
  if (pathOf(command) !== undefined) return false;
  const folders = (command.env?.PATH ?? '').split(delimiter);
  return !folders.some((folder) => existsSync(join(folder, command.file)));
}

/** Explains why the system cannot find a file that exists: it looks for the program that has to load it. */
function missingInterpreter(file: string, cause: unknown): BatonError {
  const [, interpreter] = /^#![ \t]*([^ \t\n]*)/.exec(firstBytes(file).toString('utf8')) ?? [];
  if (interpreter === undefined) {
    return new BatonError('backend_not_executable', `The loader that ${file} needs is missing`, {
      hint: 'It was built for a different C library. Install the build for this system.',
      cause,
    });
  }
  const hint = interpreter.endsWith('\r')
    ? 'Its lines end with CRLF; save it with LF.'
    : 'Install that interpreter or fix the first line.';
  return new BatonError(
    'backend_not_executable',
    `The interpreter ${JSON.stringify(interpreter)} of ${file} does not exist`,
    { hint, cause },
  );
}

/**
 * Refuses a binary for another machine. Spawning it does not fail: the kernel's answer is ENOEXEC, but the C library then
 * runs `/bin/sh <file>`, which takes the binary for a shell script. A native binary begins like Node's own.
 */
function foreignBinaryProblem(path: string): BatonError | undefined {
  if (process.platform !== 'linux') return undefined;
  const bytes = firstBytes(path);
  const isScript = bytes.toString('latin1', 0, 2) === '#!' || !bytes.includes(0);
  if (isScript || formatOf(bytes) === formatOf(firstBytes(process.execPath))) return undefined;
  if (runsOtherFormats()) return undefined;
  return new BatonError('backend_not_executable', `${path} is not a program for this platform`, {
    hint: `Install the build for ${process.platform} ${process.arch}.`,
  });
}

/** The magic number and the processor of an ELF header. */
function formatOf(bytes: Buffer): string {
  return bytes.toString('hex', 0, 4) + bytes.toString('hex', 18, 20);
}

/** Linux can be set up to run other formats: emulated machines, Windows programs under WSL. */
function runsOtherFormats(): boolean {
  try {
    const names = readdirSync('/proc/sys/fs/binfmt_misc');
    return names.some((name) => name !== 'register' && name !== 'status');
  } catch {
    return false;
  }
}

/** Nothing of a program that may be executed but not read. */
function firstBytes(path: string): Buffer {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const bytes = Buffer.alloc(512);
    return bytes.subarray(0, readSync(file, bytes));
  } catch {
    return Buffer.alloc(0);
  } finally {
    if (file !== undefined) closeSync(file);
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
    const hint = 'Grant this user access to it, or pass another directory.';
    return new BatonError('cwd_missing', `No permission to enter the directory ${cwd}`, {
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
