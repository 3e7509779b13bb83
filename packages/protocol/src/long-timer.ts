/** A timer that is set to more than this, about 24 days, fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** `setTimeout` that caps its delay at the maximum in place of firing at once. */
export function longTimer(ring: () => void, milliseconds: number): ReturnType<typeof setTimeout> {
  return setTimeout(ring, Math.min(milliseconds, LONGEST_MS));
}
