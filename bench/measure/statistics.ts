import { seeded } from './random.ts';

const RESAMPLES = 2000;
const SEED = 20_240_601;

/** A number with the interval that holds the true one, in 95 of 100 cases unless told otherwise. */
export type Estimate = { value: number; low: number; high: number };

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The value below which a part of all values lies, between two of them where that is so. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * part;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/** Estimates a statistic of some samples: draws them anew many times and sees how far it wanders. */
export function estimate<Sample>(
  samples: readonly Sample[],
  statistic: (samples: readonly Sample[]) => number,
  confidence = 0.95,
): Estimate {
  const random = seeded(SEED);
  const wandered = Array.from({ length: RESAMPLES }, () =>
    statistic(
      samples.map(() => samples[Math.floor(random() * samples.length)]) as readonly Sample[],
    ),
  );
  return {
    value: statistic(samples),
    low: quantile(wandered, (1 - confidence) / 2),
    high: quantile(wandered, (1 + confidence) / 2),
  };
}
