import type { Estimate } from './measure/statistics.ts';

export type Verdict = 'PASS' | 'FAIL' | 'NOT RESOLVED';
export type Unit = '×' | 'ms' | 'MB' | 'events';

/** One measured number and its limit. */
export type Finding = Estimate & {
  /** Name of the measurement. */
  what: string;
  unit: Unit;
  limit: number;
  bound: 'at most' | 'at least';
  verdict: Verdict;
  /** Number of samples, or pairs of samples, behind it. */
  samples: number;
  /** Numbers that help to understand it, such as the median of each side. */
  detail?: Readonly<Record<string, number>>;
};

export type Context = {
  /** Few samples, to see that it works. */
  quick: boolean;
  /** Reports progress. */
  say(progress: string): void;
};

/** A claim and the way to check it. */
export type Benchmark = {
  name: string;
  claim: string;
  run(context: Context): Promise<Finding[]>;
};

/** Judges a number: it passes or fails only when its whole interval is on one side of the limit. */
export function finding(
  facts: Omit<Finding, 'verdict' | keyof Estimate>,
  estimate: Estimate,
): Finding {
  const { low, high } = estimate;
  const { limit, bound } = facts;
  const [best, worst] = bound === 'at most' ? [low, high] : [-high, -low];
  const edge = bound === 'at most' ? limit : -limit;
  const verdict = worst <= edge ? 'PASS' : best > edge ? 'FAIL' : 'NOT RESOLVED';
  return { ...facts, ...estimate, verdict };
}

/** A number that was counted and has no interval. */
export function counted(value: number): Estimate {
  return { value, low: value, high: value };
}
