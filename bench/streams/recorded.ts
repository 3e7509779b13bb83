import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { recognise } from '@baton/engine/run/replay';
import { recordings } from '../../packages/agents/src/testing/recordings.ts';

/** The lines of all recordings of an agent in its live transport, again and again, with new ids each time. */
export async function recordedLines(entry: BackendEntry, times: number): Promise<string[]> {
  const { dialects = [] } = await entry.load();
  const lines = recordings(entry.id.replace('-cli', ''))
    .filter((recording) => recognise(dialects, recording.lines)?.transport === 'live')
    .flatMap((recording) => recording.lines.filter((line) => line.startsWith('{')));
  return Array.from({ length: times }, (_, n) =>
    lines.map((line) => line.replaceAll('fake_0', `fake_${n}_0`)),
  ).flat();
}
