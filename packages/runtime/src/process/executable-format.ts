import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';
import { BatonError } from '@baton/protocol';

const REINSTALL = `Install the build for ${process.platform} ${process.arch}.`;
/** The values of e_machine in an ELF header that a processor can run. */
const ELF_MACHINES: Partial<Record<NodeJS.Architecture, readonly number[]>> = {
  x64: [62, 3],
  arm64: [183, 40],
};
const MACH_O = ['cffaedfe', 'cafebabe'];

/**
 * Says why the content of an executable file cannot run here.
 *
 * The system's answer would be ENOEXEC, but the C library turns that into `/bin/sh <file>`: a
 * binary for another machine would be interpreted as a shell script.
 */
export function formatProblem(path: string): BatonError | undefined {
  const header = readHeader(path);
  if (!header) return undefined;
  if (header.length === 0) return refuse(`${path} is empty`, 'Install it again.');
  if (header.toString('latin1', 0, 2) === '#!') return interpreterProblem(path, header);
  if (!header.includes(0) || isNative(header) || hasForeignHandlers()) return undefined;
  return refuse(`${path} is not a program for this machine`, REINSTALL);
}

function interpreterProblem(path: string, header: Buffer): BatonError | undefined {
  const interpreter = /^#![ \t]*([^ \t\n]+)/.exec(header.toString('utf8'))?.[1];
  if (interpreter && existsSync(interpreter)) return undefined;
  const name = JSON.stringify(interpreter ?? '');
  const hint = interpreter?.endsWith('\r')
    ? 'Its lines end with CRLF; save it with LF.'
    : 'Install that interpreter or correct the first line.';
  return refuse(`${path} wants the interpreter ${name}, which does not exist`, hint);
}

function isNative(header: Buffer): boolean {
  if (process.platform === 'darwin') return MACH_O.includes(header.toString('hex', 0, 4));
  if (header.toString('latin1', 0, 4) !== '\x7fELF' || header.length < 20) return false;
  const machines = ELF_MACHINES[process.arch];
  return !machines || machines.includes(header.readUInt16LE(18));
}

/** Linux can be taught to run other formats: emulated machines, Windows programs under WSL. */
function hasForeignHandlers(): boolean {
  try {
    const names = readdirSync('/proc/sys/fs/binfmt_misc');
    return names.some((name) => name !== 'register' && name !== 'status');
  } catch {
    return false;
  }
}

/** A program that may be executed but not read gives nothing. */
function readHeader(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const header = Buffer.alloc(512);
    return header.subarray(0, readSync(file, header));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function refuse(message: string, hint: string): BatonError {
  return new BatonError('backend_not_executable', message, { hint });
}
