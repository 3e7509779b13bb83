import { closeSync, openSync, readSync, writeSync } from 'node:fs';

/** Size of one read from an agent's pipe. */
const CHUNK_BYTES = 64 * 1024;
const LINES_PER_WRITE = 1000;

/** Puts lines into one buffer. */
export function bytesOf(lines: Iterable<string>): Buffer {
  return Buffer.from(`${[...lines].join('\n')}\n`);
}

/** Cuts a buffer into pieces as a pipe would. */
export function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    yield bytes.subarray(start, start + CHUNK_BYTES);
  }
}

/** Writes lines into a file, few at a time. */
export function writeLines(path: string, lines: Iterable<string>): void {
  const file = openSync(path, 'w');
  let held: string[] = [];
  for (const line of lines) {
    held.push(line);
    if (held.length < LINES_PER_WRITE) continue;
    writeSync(file, bytesOf(held));
    held = [];
  }
  if (held.length > 0) writeSync(file, bytesOf(held));
  closeSync(file);
}

/** Reads a file piece by piece, always into the same memory. */
export function* chunksOfFile(path: string): Generator<Buffer> {
  const file = openSync(path, 'r');
  const memory = Buffer.alloc(CHUNK_BYTES);
  for (;;) {
    const bytes = readSync(file, memory);
    if (bytes === 0) break;
    yield memory.subarray(0, bytes);
  }
  closeSync(file);
}
