import type { Benchmark } from './benchmark.ts';
import { conversation } from './cases/conversation.ts';
import { daemonIngest } from './cases/daemon-ingest.ts';
import { daemonLatency } from './cases/daemon-latency.ts';
import { daemonMemory } from './cases/daemon-memory.ts';
import { daemonOpen } from './cases/daemon-open.ts';
import { daemonReady } from './cases/daemon-ready.ts';
import { daemonReplay } from './cases/daemon-replay.ts';
import { daemonStop } from './cases/daemon-stop.ts';
import { importing } from './cases/import.ts';
import { normalize } from './cases/normalize.ts';
import { start } from './cases/start.ts';
import { stop } from './cases/stop.ts';
import { stream } from './cases/stream.ts';
import { tax, typedTax } from './cases/tax.ts';
import { turns } from './cases/turns.ts';
import { workspaces } from './cases/workspaces.ts';

const ALL: readonly Benchmark[] = [
  ...tax,
  ...typedTax,
  ...start,
  ...importing,
  ...stream,
  ...normalize,
  ...turns,
  ...stop,
  ...daemonIngest,
  ...daemonLatency,
  ...daemonReplay,
  ...daemonOpen,
  ...daemonMemory,
  ...conversation,
  ...daemonReady,
  ...daemonStop,
  ...workspaces,
];

/** The benchmarks with these names or beginnings of names; all of them without any. */
export function benchmarksNamed(words: readonly string[]): Benchmark[] {
  const unknown = words.find((word) => !ALL.some(({ name }) => isMeant(name, word)));
  if (unknown !== undefined) throw new Error(`There is no benchmark "${unknown}"; see --list.`);
  return ALL.filter(({ name }) => words.length === 0 || words.some((word) => isMeant(name, word)));
}

function isMeant(name: string, word: string): boolean {
  return name === word || name.startsWith(`${word}-`);
}
