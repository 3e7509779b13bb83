import type { Row } from './row-list.ts';

/** A scroll position in a transcript: the first visible row, and how much of it is above the edge. */
export type ScrollPosition = { row: string; cursor: number; above: number };

const positions = new Map<string, ScrollPosition>();

/** The saved scroll position of a session; undefined means at the end. */
export function savedScrollPosition(sessionId: string): ScrollPosition | undefined {
  return positions.get(sessionId);
}

/** Saves the scroll position of a session. */
export function saveScrollPosition(sessionId: string, position: ScrollPosition | undefined): void {
  if (position) positions.set(sessionId, position);
  else positions.delete(sessionId);
}

/** The index of the row at a scroll position; the nearest one before it when that row is gone. */
export function rowOfScrollPosition(rows: readonly Row[], { row, cursor }: ScrollPosition): number {
  const index = rows.findIndex(({ id }) => id === row);
  if (index !== -1) return index;
  return Math.max(
    0,
    rows.findLastIndex((each) => each.cursor <= cursor),
  );
}
