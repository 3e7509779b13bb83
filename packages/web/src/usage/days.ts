import type { UsageRecord } from '@baton/client';
import { AMOUNT_NAMES, type Amount } from './measures.ts';

const DAY_MS = 86_400_000;

/** The last days up to today, in UTC like those of the daemon. */
export function lastDays(days: number, now: number): string[] {
  const today = Math.floor(now / DAY_MS);
  return Array.from({ length: days }, (_, place) =>
    new Date((today - days + 1 + place) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** Adds rows for the days without tasks. */
export function withEmptyDays(
  rows: readonly UsageRecord[],
  days: readonly string[],
): UsageRecord[] {
  return days.map((day) => ({ ...totalOf(rows.filter(({ key }) => key === day)), key: day }));
}

/** Sums up all rows. */
export function totalOf(rows: readonly UsageRecord[]): UsageRecord {
  const sum = (name: Amount) => rows.reduce((total, row) => total + row[name], 0);
  const amounts = Object.fromEntries(AMOUNT_NAMES.map((name) => [name, sum(name)]));
  const cost_estimated = rows.some((row) => row.cost_estimated);
  return { key: null, group: {}, cost_estimated, ...(amounts as Record<Amount, number>) };
}

/** Rounds up to the next round number: 1, 2 or 5, with zeros. */
export function niceTop(most: number): number {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 5, 10].find((each) => each * power >= most) ?? 10;
  return step * power;
}

/** The labels of the axis, the top first; counts have no half. */
export function marksOf(top: number, isCounted: boolean): number[] {
  const half = top / 2;
  return isCounted && !Number.isInteger(half) ? [top, 0] : [top, half, 0];
}
