import type { Figure } from './compare.ts';
import type { Round } from './rounds.ts';
import { median, sum } from './statistics.ts';

type Limit = Pick<Figure<string>, 'limit' | 'bound'>;

/** How much longer one side takes than another: the time on the clock, and the time of the processors. */
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

/** How much one side gets done in the time that another one takes for the same. */
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

/** How many times a unit one side takes longer than another. */
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

/** The system counts processor time in steps of 10 ms, so only the sum of many runs tells it. */
function cpuOf<Name extends string>(rounds: readonly Round<Name>[], side: Name): number {
  return sum(rounds.map((round) => round[side].cpuMs));
}
