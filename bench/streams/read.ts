import { StringDecoder } from 'node:string_decoder';
import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { Replay } from '@baton/engine/run/replay';
import { LineSplitter } from '@baton/process';

/** Splits bytes into lines and parses each, the plain way. */
export function parseAll(chunks: Iterable<Buffer>): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for (const chunk of chunks) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) JSON.parse(line);
  }
}

/** Turns bytes into Baton's events, and counts them. */
export async function replayAll(entry: BackendEntry, chunks: Iterable<Buffer>): Promise<number> {
  const { dialects = [] } = await entry.load();
  const live = dialects.find(({ transport }) => transport === 'live');
  if (!live) throw new Error(`${entry.id} has no live transport.`);
  let events = 0;
  const push = () => {
    events += 1;
  };
  const replay = new Replay({ backend: entry, entry: live, push });
  const splitter = new LineSplitter((line) => replay.line(line), {
    onTooLong: (head, bytes) => replay.longLine(head, bytes),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  replay.end({ code: 0, stderr: '' });
  return events;
}
