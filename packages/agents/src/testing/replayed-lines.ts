import type { DialectEntry, StreamEnd } from '@baton/engine/definition/dialect';
import { Replay, recognise } from '@baton/engine/run/replay';
import type { AgentEvent, RunResult } from '@baton/protocol';

/** Reads lines as a recording of an agent. */
export function replayedLines(
  dialects: readonly DialectEntry[],
  lines: readonly (object | string)[],
  end: Partial<StreamEnd> = { code: 0 },
): { events: AgentEvent[]; result: RunResult; transport: string } {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const entry = recognise(dialects, texts);
  if (!entry) throw new Error('No dialect reads these lines.');
  const events: AgentEvent[] = [];
  const backend = { id: 'agent', label: 'Agent' };
  const replay = new Replay({ backend, entry, push: (event) => events.push(event) });
  for (const text of texts) replay.line(text);
  const result = replay.end({ stderr: '', ...end });
  return { events, result, transport: entry.transport };
}
