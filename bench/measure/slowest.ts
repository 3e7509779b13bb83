import { type Finding, finding } from '../benchmark.ts';
import { estimate, quantile } from './statistics.ts';

/** Judges times by their slowest: one in twenty may be slower, because other programs of the machine want to run too. */
export function slowest(
  facts: Pick<Finding, 'what' | 'unit' | 'limit' | 'bound'>,
  times: readonly number[],
): Finding {
  const detail = { median: quantile(times, 0.5), longest: Math.max(...times) };
  const percentile = (sample: readonly number[]) => quantile(sample, 0.95);
  return finding({ ...facts, samples: times.length, detail }, estimate(times, percentile));
}
