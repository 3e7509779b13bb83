/** Whoever presses something in this time after it came, or moved, meant what was there before. */
export const PAUSE_MS = 400;
