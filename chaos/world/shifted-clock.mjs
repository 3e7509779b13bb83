/**
 * Loaded into every program of a round before its own code: shows it a time of day that is off by what a file says, in
 * milliseconds, as after somebody has set the clock of the machine. Other clocks go on as they are.
 */
import { readFileSync } from 'node:fs';

const READ_EVERY_MS = 50;
const file = process.env.BATON_CHAOS_CLOCK;
const TrueDate = Date;
let offset = 0;
let readAt = Number.NEGATIVE_INFINITY;

function now() {
  if (performance.now() - readAt > READ_EVERY_MS) {
    readAt = performance.now();
    try {
      offset = Number(readFileSync(file, 'utf8')) || 0;
    } catch {}
  }
  return TrueDate.now() + offset;
}

globalThis.Date = class ShiftedDate extends TrueDate {
  constructor(...args) {
    super(...(args.length === 0 ? [now()] : args));
  }

  static now = now;
};
