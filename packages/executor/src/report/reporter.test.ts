import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentEvent, BatonError } from '@baton/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Reporter } from './reporter.ts';
import { Spool } from './spool.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-reporter-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const spool = (maxBytes = 1_000_000) =>
  new Spool(join(folder, 'spool'), { maxBytes, batchBytes: 300, maxEventBytes: 100_000 });
const event = (seq: number): AgentEvent => ({
  type: 'unparsed',
  seq,
  time: 1,
  runId: 'r',
  source: 'stdout',
  line: `line ${seq}`,
});

/** A daemon that takes what follows on what it has. */
function daemon() {
  const taken: number[] = [];
  const take = (events: readonly AgentEvent[]) => {
    for (const { seq } of events) if (seq === taken.length + 1) taken.push(seq);
    return { lastSeq: taken.length };
  };
  return { taken, take };
}
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

test('every event arrives once, in order', async () => {
  const { taken, take } = daemon();
  const reporter = new Reporter({ spool: spool(), send: async (events) => take(events) });
  for (const seq of upTo(100)) await reporter.report(event(seq));
  await reporter.flush();
  expect(taken).toEqual(upTo(100));
});

test('what got lost on the way is sent again, also when only the confirmation got lost', async () => {
  const { taken, take } = daemon();
  let calls = 0;
  const send = async (events: readonly AgentEvent[]) => {
    calls += 1;
    if (calls % 3 === 0) throw new Error('The connection broke.');
    const told = take(events);
    if (calls % 3 === 1) throw new Error('The connection broke after that.');
    return told;
  };
  const reporter = new Reporter({ spool: spool(), send, firstPauseMs: 1 });
  for (const seq of upTo(50)) await reporter.report(event(seq));
  await reporter.flush();
  expect(taken).toEqual(upTo(50));
});

test('reporting applies backpressure while the spool is full, and continues when the daemon is back', async () => {
  const { taken, take } = daemon();
  let isUp = false;
  const send = async (events: readonly AgentEvent[]) => {
    if (!isUp) throw new Error('down');
    return take(events);
  };
  const reporter = new Reporter({ spool: spool(1000), send, firstPauseMs: 1, longestPauseMs: 5 });
  const reported: number[] = [];
  const all = (async () => {
    for (const seq of upTo(60)) {
      await reporter.report(event(seq));
      reported.push(seq);
    }
  })();
  await vi.waitFor(() => expect(reported.length).toBeGreaterThan(3));
  const before = reported.length;
  expect(before).toBeLessThan(60);
  isUp = true;
  await all;
  await reporter.flush();
  expect(taken).toEqual(upTo(60));
});

test('a task of another executor is no longer reported', async () => {
  const send = vi.fn(async () => {
    throw new BatonError('lease_lost', 'Too late.');
  });
  const reporter = new Reporter({ spool: spool(), send, firstPauseMs: 1 });
  await reporter.report(event(1));
  await expect(reporter.flush()).rejects.toMatchObject({ code: 'lease_lost' });
  await expect(reporter.report(event(2))).rejects.toMatchObject({ code: 'lease_lost' });
  expect(send).toHaveBeenCalledOnce();
});

test('what a dead process left behind is reported by the next', async () => {
  const left = spool();
  for (const seq of upTo(5)) left.append(event(seq));
  left.close();
  const { taken, take } = daemon();
  const reporter = new Reporter({ spool: spool(), send: async (events) => take(events) });
  await reporter.flush();
  expect(taken).toEqual(upTo(5));
});
