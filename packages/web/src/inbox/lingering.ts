import { useEffect, useState } from 'react';
import { PAUSE_MS } from '../data/pause.ts';

export type Lingering<Row> = { key: string; row: Row; isGone: boolean };

/** Rows that are pressed: one that has gone stays in its place for a moment, so that none moves under the pointer. */
export function useLingering<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): readonly Lingering<Row>[] {
  const [before, keep] = useState(rows);
  useEffect(() => {
    const timer = setTimeout(() => keep(rows), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [rows]);
  return withGone(before, rows, keyOf);
}

/** All rows in their order, with those that were there before in their old places. */
export function withGone<Row>(
  before: readonly Row[],
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): readonly Lingering<Row>[] {
  const now = new Map(rows.map((row) => [keyOf(row), row]));
  const all = new Map([...before, ...rows].map((row) => [keyOf(row), row]));
  return [...all].map(([key, row]) => ({ key, row: now.get(key) ?? row, isGone: !now.has(key) }));
}
