/** Timers count no further than this, some 24 days, and fire at once when asked to. */
const LONGEST_MS = 2 ** 31 - 1;

/** A timer whose time may be longer than timers can count: it then rings at the longest that they can. */
export function longTimer(ring: () => void, milliseconds: number): NodeJS.Timeout {
  return setTimeout(ring, Math.min(milliseconds, LONGEST_MS));
}
