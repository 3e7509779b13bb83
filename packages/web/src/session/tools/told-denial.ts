import { type Entry, settledWhy, toolEntryKey } from '@baton/protocol';
import type { ToolEntry } from '../entry-of.ts';

/** Whether a denied tool printed nothing but the reason that its settled request tells already. */
export function isDenialTold({ key, output }: ToolEntry, entries: readonly Entry[]): boolean {
  return entries.some((entry) => {
    if (entry.kind !== 'permission' || entry.request.callId === undefined) return false;
    if (toolEntryKey(entry.taskId ?? '', entry.request.callId) !== key) return false;
    return settledWhy(entry)?.trim() === output.trim();
  });
}
