import type { Figure } from './compare.ts';
import type { Round } from './rounds.ts';
import { median, sum } from './statistics.ts';

type Limit = Pick<Figure<string>, 'limit' | 'bound'>;

/** Ratios of the time of one side to another: wall time and CPU time. */
export function timeRatios<Name extends string>(
  side: Name,
  base: Name,
  limit: Limit,
): Figure<Name>[] {
  return [
    {
      what: 'wall time',
      unit: '×',
      ...limit,
      of: (rounds) => median(rounds.map((round) => round[side].wallMs / round[base].wallMs)),
    },
    {
      what: 'CPU time',
      unit: '×',
      ...limit,
      of: (rounds) => cpuOf(rounds, side) / cpuOf(rounds, base),
    },
  ];
}

/** Throughput of one side relative to another. */
export function throughput<Name extends string>(
  side: Name,
  base: Name,
  limit: Limit,
): Figure<Name>[] {
  return [
    {
      what: 'throughput',
      unit: '×',
      ...limit,
      of: (rounds) => median(rounds.map((round) => round[base].wallMs / round[side].wallMs)),
    },
  ];
}

/** Additional time of one side over another, in multiples of a unit. */
export function timesAdded<Name extends string>(
  side: Name,
  base: Name,
  unit: Name,
  limit: Limit,
): Figure<Name>[] {
  const added = (round: Round<Name>) => round[side].wallMs - round[base].wallMs;
  return [
    {
      what: 'wall time',
      unit: '×',
      ...limit,
      of: (rounds) => median(rounds.map((round) => added(round) / round[unit].wallMs)),
    },
    {
      what: 'CPU time',
      unit: '×',
      ...limit,
      of: (rounds) => (cpuOf(rounds, side) - cpuOf(rounds, base)) / cpuOf(rounds, unit),
    },
  ];
}

/** Sums up CPU time: the system counts it in steps of 10 ms, so only the sum of many runs is meaningful. */
function cpuOf<Name extends string>(rounds: readonly Round<Name>[], side: Name): number {
  return sum(rounds.map((round) => round[side].cpuMs));
}
