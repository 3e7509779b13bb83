import { Registry } from '@baton/agents/registry/registry';
import { chunksOfFile } from '../streams/bytes.ts';
import { replayAll } from '../streams/read.ts';

const BYTES_PER_MB = 1024 * 1024;

/** Reads the output of an agent from a file, and prints how many events it held and by how many MB the memory grew. */
const [agent = '', file = ''] = process.argv.slice(2);
const entry = new Registry().entry(agent);
await entry.load();
const before = process.memoryUsage.rss();
let most = before;
const events = await replayAll(entry, watched(chunksOfFile(file)));
console.log(events, (most - before) / BYTES_PER_MB);

function* watched(chunks: Iterable<Buffer>): Generator<Buffer> {
  for (const chunk of chunks) {
    yield chunk;
    most = Math.max(most, process.memoryUsage.rss());
  }
}
