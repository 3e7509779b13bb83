import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentProcesses } from './agent-processes.ts';
import type { ProcessInfo } from './process-table.ts';

const HOST = 50;
const AGENT = { pid: 100, startTicks: 1000, marker: 'BATON_RUN_a' };
const host = info({ pid: HOST, ppid: 1, startTicks: 10 });
const agent = info({ pid: 100, ppid: HOST, startTicks: 1000 });

describe('what belongs to an agent', () => {
  test('is its descendants, in any session', () => {
    const shell = info({ pid: 101, ppid: 100 });
    const tool = info({ pid: 102, ppid: 101 });
    expect(kin([host, agent, shell, tool])).toEqual([100, 101, 102]);
  });

  test('is all descendants in any forest, and no other process', () => {
    const parents = fc.array(fc.nat(30), { maxLength: 30 });
    fc.assert(
      fc.property(parents, (list) => {
        const born = list.map((parent, i) =>
          info({ pid: 101 + i, ppid: 100 + (parent % (i + 1)) }),
        );
        const strangers = list.map((_, i) => info({ pid: 501 + i, ppid: i === 0 ? 1 : 500 + i }));
        const tree = [...strangers, ...born.reverse(), agent, host];
        expect(kin(tree)).toEqual([100, ...born.map(({ pid }) => pid).sort((a, b) => a - b)]);
      }),
    );
  });

  test('is what stayed in its group or session when it is gone', () => {
    const inGroup = info({ pid: 101, ppid: 1, pgid: 100, sid: 100 });
    const inSession = info({ pid: 102, ppid: 1, pgid: 102, sid: 100 });
    expect(kin([host, inGroup, inSession])).toEqual([101, 102]);
  });

  test('is every process with the marker, and its children and session', () => {
    const daemon = info({ pid: 101, ppid: 1 });
    const child = info({ pid: 102, ppid: 101 });
    const orphan = info({ pid: 103, ppid: 1, sid: 101 });
    expect(kin([host, daemon, child, orphan], { marked: [101] })).toEqual([101, 102, 103]);
  });

  test('is what an earlier picture showed, and the session of what died since', () => {
    const seen = info({ pid: 101, ppid: 100 });
    const late = info({ pid: 102, ppid: 1, sid: 101 });
    expect(kin([host, seen], { known: [seen] })).toEqual([101]);
    expect(kin([host, late], { known: [seen] })).toEqual([102]);
  });

  test('is not a zombie, but is a process whose main thread alone has ended', () => {
    const zombie = info({ pid: 101, ppid: 100, state: 'Z' });
    const headless = info({ pid: 102, ppid: 100, state: 'z' });
    expect(kin([host, agent, zombie, headless])).toEqual([100, 102]);
  });
});

describe('what does not belong to an agent', () => {
  test('is a process that got its pid later, with its children and session', () => {
    const stranger = info({ pid: 100, ppid: 1, startTicks: 2000 });
    const child = info({ pid: 101, ppid: 100, pgid: 100, sid: 100, startTicks: 2001 });
    expect(kin([host, stranger, child])).toEqual([]);
  });

  test('is a process that got the pid of a known one later', () => {
    const seen = info({ pid: 101, ppid: 100 });
    const stranger = info({ pid: 101, ppid: 1, startTicks: 2000 });
    expect(kin([host, agent, stranger], { known: [seen] })).toEqual([100]);
  });

  test('is a session that got its number after the known one ended', () => {
    const member = info({ pid: 102, ppid: 100, sid: 101 });
    const stranger = info({ pid: 101, ppid: 1, startTicks: 2000 });
    expect(kin([host, agent, stranger], { known: [member] })).toEqual([100]);
  });

  test('is what started before it, and is not even looked into', () => {
    const old = info({ pid: 60, ppid: 1, startTicks: 999 });
    const looked: number[] = [];
    agentProcesses(AGENT, {
      tree: [host, old, agent, info({ pid: 101, ppid: 1, startTicks: 1000 })],
      carriesMarker: ({ pid }) => looked.push(pid) > 99,
      known: [],
      self: HOST,
    });
    expect(looked).toEqual([101]);
  });

  test('is this program with its group, even if it has the marker itself', () => {
    const own = info({ pid: HOST, ppid: 1, pgid: 40, sid: 40, startTicks: 3000 });
    const sibling = info({ pid: 51, ppid: 1, pgid: 40, sid: 40, startTicks: 3000 });
    const marked = info({ pid: 52, ppid: 1, pgid: 40, sid: 40, startTicks: 3000 });
    expect(kin([own, sibling, marked, agent], { marked: [HOST, 52] })).toEqual([52, 100]);
  });
});

function kin(
  tree: readonly ProcessInfo[],
  options: { marked?: readonly number[]; known?: readonly ProcessInfo[] } = {},
): number[] {
  const found = agentProcesses(AGENT, {
    tree,
    carriesMarker: ({ pid }) => options.marked?.includes(pid) ?? false,
    known: options.known ?? [],
    self: HOST,
  });
  return found.map(({ pid }) => pid).sort((a, b) => a - b);
}

function info(part: Partial<ProcessInfo> & { pid: number; ppid: number }): ProcessInfo {
  return { pgid: part.pid, sid: part.pid, startTicks: 1500, state: 'S', ...part };
}
