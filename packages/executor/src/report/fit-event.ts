import type { AgentEvent } from '@baton/protocol';

/** Shorter strings, such as ids, are never cut. */
const SHORTEST_CUT = 1024;

/**
 * Truncates the longest parts of an event that is too large to report; each truncated part states how much is missing.
 */
export function fitEvent(event: AgentEvent, maxBytes: number): AgentEvent {
  for (let most = Math.floor(maxBytes / 2); ; most = Math.floor(most / 2)) {
    const parts = Object.entries(event).map(([name, value]) => [name, cut(value, most)]);
    const fitted: AgentEvent = Object.fromEntries(parts);
    if (most <= 1 || Buffer.byteLength(JSON.stringify(fitted)) <= maxBytes) return fitted;
  }
}

/** Texts are truncated to this length, and lists and objects to this many members. */
function cut(value: unknown, most: number): unknown {
  if (typeof value === 'string') return cutText(value, Math.max(most, SHORTEST_CUT));
  if (Array.isArray(value)) {
    const kept = value.slice(0, most).map((each) => cut(each, most));
    return kept.length < value.length ? [...kept, leftOut(value.length - kept.length)] : kept;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  const kept = members.slice(0, most).map(([name, each]) => [name, cut(each, most)]);
  const missing = members.length - kept.length;
  return Object.fromEntries(missing > 0 ? [...kept, ['…', leftOut(missing)]] : kept);
}

function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = isHalf(text, most) ? most - 1 : most;
  return `${text.slice(0, end)}… [${text.length - end} characters omitted: too large to report]`;
}

function leftOut(count: number): string {
  return `[${count} more omitted: too large to report]`;
}

/** True if a cut would split a surrogate pair. */
function isHalf(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}
