import { backendEntry } from '@baton/runtime';
import { chunksOfFile } from '../streams/bytes.ts';
import { replayAll } from '../streams/read.ts';

const BYTES_PER_MB = 1024 * 1024;

/** Reads the output of an agent from a file, and prints how many events it held and how many MB were kept of them. */
const [agent = '', file = ''] = process.argv.slice(2);
const entry = backendEntry(agent);
await entry.load();
const before = inUse();
let after = before;
const events = await replayAll(entry, watched(chunksOfFile(file)));
console.log(events, (after - before) / BYTES_PER_MB);

function* watched(chunks: Iterable<Buffer>): Generator<Buffer> {
  yield* chunks;
  // Here and not later, because at its end the run lets go of everything.
  after = inUse();
}

/** What is still in use once the garbage is gone. */
function inUse(): number {
  if (!globalThis.gc) throw new Error('Start with --expose-gc.');
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
