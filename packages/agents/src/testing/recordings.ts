import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DialectEntry, StreamEnd } from '@baton/engine/definition/dialect';
import { Replay, recognise } from '@baton/engine/run/replay';
import type { AgentEvent, RunResult } from '@baton/protocol';

export { brokenPromises } from '@baton/engine/run/event-promises';

const FIXTURES = join(import.meta.dirname, '../../fixtures');

/** Output of a real agent, and how it ended. */
export type Recording = { name: string; lines: string[]; stdout: string; end: StreamEnd };

/** Reads all recordings of one agent. */
export function recordings(agent: string): Recording[] {
  return readdirSync(join(FIXTURES, agent)).map((name) => recording(agent, name));
}

/** Reads one recording, by its name or the number in front of it. */
export function recording(agent: string, name: string): Recording {
  const folder = readdirSync(join(FIXTURES, agent)).find(
    (entry) => entry === name || entry.startsWith(`${name}-`),
  );
  if (!folder) throw new Error(`There is no recording ${agent}/${name}`);
  const file = (part: string) => readText(join(FIXTURES, agent, folder, part));
  const stdout = file('stdout');
  const lines = stdout.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return {
    name: folder,
    lines,
    stdout,
    end: { ...(JSON.parse(file('meta.json')) as RecordingFacts).exit, stderr: file('stderr') },
  };
}

/** Replays a recording and returns its events and its result. */
export function replayed(
  backend: { id: string; label: string },
  entries: readonly DialectEntry[],
  { lines, end }: Pick<Recording, 'lines' | 'end'>,
): { events: AgentEvent[]; result: RunResult } {
  const entry = recognise(entries, lines);
  if (!entry) throw new Error('There is no dialect');
  const events: AgentEvent[] = [];
  const replay = new Replay({ backend, entry, push: (event) => events.push(event) });
  for (const line of lines) replay.line(line);
  return { events, result: replay.end(end) };
}

/** Facts in the `meta.json` of a recording. */
type RecordingFacts = { exit: { code: number | null; signal: string | null } };

/** A file that would be empty is left out of a recording. */
function readText(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
