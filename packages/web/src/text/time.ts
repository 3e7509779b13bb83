import type { TaskRecord } from '@baton/protocol';

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });

/** Formats the time since a moment in a word or two. */
export function timeAgo(moment: number | string, now: number): string {
  const past = now - new Date(moment).getTime();
  for (const [unit, length] of UNITS) {
    if (Math.abs(past) >= length) return relative.format(-Math.trunc(past / length), unit);
  }
  return 'just now';
}

/** The running time of a task until its end or until now; undefined while it is queued. */
export function taskTime(
  { started_at, completed_at }: Pick<TaskRecord, 'started_at' | 'completed_at'>,
  now: number,
): number | undefined {
  if (started_at === null) return undefined;
  const end = completed_at === null ? now : Date.parse(completed_at);
  return Math.max(0, end - Date.parse(started_at));
}

/** Formats a duration: 850 ms, 4.2 s, 3 min 20 s, 2 h 5 min. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 10_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return joined(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  return joined(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
}

/** Formats a duration that is still growing, in whole seconds: tenths would flicker. */
export function wholeSeconds(milliseconds: number): string {
  if (milliseconds >= 60_000) return duration(milliseconds);
  return `${Math.floor(milliseconds / 1000)} s`;
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
