import { closeSync, openSync, readSync, statSync } from 'node:fs';

const FIRST_READ_BYTES = 64 * 1024;
/** The search ends this far from the end of the file. */
const LAST_READ_BYTES = 64 * 1024 * 1024;

/** The match, and whether the whole file was read. */
type LastLine<Found> = { found: Found | undefined; isWhole: boolean };

/** Reads a file from its end until a line matches. Throws if the file cannot be read. */
export function lastLine<Found>(
  path: string,
  find: (line: string) => Found | undefined,
): LastLine<Found> {
  const { size } = statSync(path);
  for (let bytes = FIRST_READ_BYTES; ; bytes *= 4) {
    const isWhole = bytes >= size;
    for (const line of readTail(path, size, bytes).split('\n').reverse()) {
      const found = find(line);
      if (found !== undefined) return { found, isWhole };
    }
    if (isWhole || bytes >= LAST_READ_BYTES) return { found: undefined, isWhole };
  }
}

function readTail(path: string, size: number, bytes: number): string {
  const buffer = Buffer.alloc(Math.min(size, bytes));
  const file = openSync(path, 'r');
  try {
    const length = readSync(file, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}
