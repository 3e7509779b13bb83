import type { Row } from './row-list.ts';

/** Where somebody reads in a transcript: the first row that is seen, and how much of it is above. */
export type Place = { row: string; cursor: number; above: number };

const places = new Map<string, Place>();

/** Where somebody read in a session while this page was open; nothing means at the end. */
export function keptPlace(sessionId: string): Place | undefined {
  return places.get(sessionId);
}

/** Remembers where somebody reads in a session. */
export function keepPlace(sessionId: string, place: Place | undefined): void {
  if (place) places.set(sessionId, place);
  else places.delete(sessionId);
}

/** Which row a place is at; the nearest one before it when its own is not there any more. */
export function indexOfPlace(rows: readonly Row[], { row, cursor }: Place): number {
  const index = rows.findIndex(({ id }) => id === row);
  if (index !== -1) return index;
  return Math.max(
    0,
    rows.findLastIndex((each) => each.cursor <= cursor),
  );
}
