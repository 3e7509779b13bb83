import { BatonClient } from '@baton/client';
import { startDaemon } from '@baton/daemon';
import type { AgentEvent, PatchOperation } from '@baton/protocol';
import { LEASE_MS, ownerToken, takenTask } from '../daemon/seed.ts';

const DELTAS = 5;
const PIECE = 'x'.repeat(40);
const ENTRIES_PER_BATCH = 200;
const BYTES_PER_MB = 1024 * 1024;

/**
 * Fills a session entry by entry while somebody reads its conversation; prints how many bytes came and how much heap the
 * daemon has after garbage collection, with the reader still there. Needs `--expose-gc`.
 */
const [folder = '', count = '0'] = process.argv.slice(2);
const entries = Number(count);
const daemon = await startDaemon({ folder, port: 0, logLevel: 'warn', leaseMs: LEASE_MS });
const { sessionId, token } = await takenTask(daemon, 0);
const response = await fetch(`${daemon.url}/sessions/${sessionId}/conversation`, {
  headers: { Authorization: `Bearer ${await ownerToken(daemon.store)}` },
});
const [bytes] = await Promise.all([read(), report()]);
globalThis.gc?.();
const heapMb = process.memoryUsage().heapUsed / BYTES_PER_MB;
console.log(JSON.stringify({ bytes, heapMb }));
process.exit();

async function report(): Promise<void> {
  const executor = new BatonClient({ url: daemon.url, token });
  let seq = 0;
  for (let first = 0; first < entries; first += ENTRIES_PER_BATCH) {
    const events: AgentEvent[] = [];
    for (let n = first; n < Math.min(entries, first + ENTRIES_PER_BATCH); n += 1) {
      const message = { runId: sessionId, time: 1, messageId: `m${n}`, kind: 'text' } as const;
      for (let delta = 0; delta < DELTAS; delta += 1) {
        events.push({ ...message, seq: ++seq, type: 'message.delta', text: PIECE });
      }
      const text = PIECE.repeat(DELTAS);
      events.push({ ...message, seq: ++seq, type: 'message.completed', text });
    }
    await executor.messages.append(events);
  }
  executor.close();
}

/** Reads until all messages have come. */
async function read(): Promise<number> {
  let bytes = 0;
  let came = 0;
  let rest = '';
  const decoder = new TextDecoder();
  const stream = response.body?.getReader();
  // The prompt is an entry too.
  while (came <= entries) {
    const { value = new Uint8Array() } = (await stream?.read()) ?? {};
    bytes += value.length;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) came += added(line.slice(6));
  }
  return bytes;
}

function added(data: string): number {
  const parsed: { entries: unknown[] } | PatchOperation[] = JSON.parse(data);
  if (!Array.isArray(parsed)) return parsed.entries.length;
  return parsed.filter(({ path }) => path === '/entries/-').length;
}
