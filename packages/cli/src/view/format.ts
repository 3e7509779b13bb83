/** Formats a duration: 340 ms, 12.3 s, 4 min 05 s. */
export function duration(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats a long duration approximately: 5 s, 12 min, 3 h 20 min, 4 d 2 h. */
export function roughly(milliseconds: number): string {
  if (milliseconds < MINUTE) return `${Math.max(Math.floor(milliseconds / SECOND), 0)} s`;
  if (milliseconds < HOUR) return `${Math.floor(milliseconds / MINUTE)} min`;
  const [whole, part, units] =
    milliseconds < DAY ? [HOUR, MINUTE, ['h', 'min']] : [DAY, HOUR, ['d', 'h']];
  const rest = Math.floor((milliseconds % whole) / part);
  return `${Math.floor(milliseconds / whole)} ${units[0]}${rest > 0 ? ` ${rest} ${units[1]}` : ''}`;
}

/** Formats the time since a moment. */
export function ago(moment: string, now = Date.now()): string {
  return `${roughly(now - Date.parse(moment))} ago`;
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** Formats a size: 340 B, 1.2 MB. */
export function bytesText(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const value = bytes / 1024 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${UNITS[step]}`;
}
