import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isInside } from './is-inside.ts';
import { resolveLinks } from './resolve-links.ts';

/** No prompt is longer; a larger file is a mistake, or made to exhaust the memory. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Their files describe processes and the machine, with the variables of the process that reads them. */
const NEVER_READ = ['/proc', '/sys'];
/** Status of a missing file: it counts as readable, and the attempt to read it reports the error. */
const NOTHING = { uid: -1, gid: -1, mode: 0o7 };
/** Bits of a mode, as the system has them for others. */
const [READ, ENTER] = [4, 1];

export type ReadInsideOptions = {
  /** Files and folders that are not read although they may lie in the folder. */
  hidden?: readonly string[];
  /** The account that must be able to read the file; its further groups do not count. */
  reader?: { uid: number; gid: number } | undefined;
};

/**
 * Reads a file that another person's file names, such as the prompt of a chain. It must lie in a folder, links
 * followed; throws an error whose message says why not. Everything is checked on the open file, so that a link that
 * changes meanwhile has no effect. The message for a file elsewhere does not tell whether it exists.
 */
export function readFileInside(
  folder: string,
  path: string,
  { hidden = [], reader }: ReadInsideOptions = {},
): Buffer {
  const elsewhere = () => new Error(`it is not in the folder ${folder}`);
  const notTheirs = () => new Error('the account of the agents may not read it');
  const check = (place: string) => {
    if (!isInside(folder, place, { orEqual: true })) throw elsewhere();
    const secret = [...NEVER_READ, ...hidden];
    if (secret.some((each) => isInside(each, place, { orEqual: true, inDoubt: true }))) {
      throw elsewhere();
    }
  };
  check(path);
  if (reader && !mayRead(reader, path)) throw notTheirs();
  // A pipe would block, and opening a device may have an effect.
  checkKind(statSync(path));
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const status = fstatSync(file);
    const real = realPathOf(file, path, status);
    check(real);
    if (reader && !mayRead(reader, real)) throw notTheirs();
    checkKind(status);
    if (status.size > MOST_BYTES) throw new Error('it is larger than 16 MB');
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Returns the path of an open file. Without `/proc`, its path must still lead to it. */
function realPathOf(file: number, path: string, { dev, ino }: Stats): string {
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } catch {
    const real = realpathSync(path);
    const now = statSync(real);
    if (now.dev === dev && now.ino === ino) return real;
    throw new Error('it changed while it was read');
  }
}

/** True when the account may read a file and enter all folders above it, by their owners and modes. */
function mayRead(reader: { uid: number; gid: number }, path: string): boolean {
  const real = resolveLinks('/', path) ?? path;
  const has = (path: string, bit: number) => {
    const { uid, gid, mode } = statSync(path, { throwIfNoEntry: false }) ?? NOTHING;
    if (uid === reader.uid) return (mode & (bit << 6)) !== 0;
    return (mode & (gid === reader.gid ? bit << 3 : bit)) !== 0;
  };
  return has(real, READ) && ancestors(real).every((each) => has(each, ENTER));
}

function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...ancestors(parent)];
}

function checkKind(status: Stats): void {
  if (!status.isFile()) throw new Error('it is not a file');
}
