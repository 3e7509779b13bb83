import { type Entry, settledWhy, toolEntryKey } from '@baton/protocol';
import type { ToolEntry } from './entry-of.ts';

/** True if the output of a denied tool is only the reason that its settled request already shows. */
export function isDenialTold({ key, output }: ToolEntry, entries: readonly Entry[]): boolean {
  return entries.some((entry) => {
    if (entry.kind !== 'permission' || entry.request.callId === undefined) return false;
    if (toolEntryKey(entry.taskId ?? '', entry.request.callId) !== key) return false;
    return settledWhy(entry)?.trim() === output.trim();
  });
}
