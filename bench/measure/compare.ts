import { type Context, type Finding, finding } from '../benchmark.ts';
import { measureRound, type Round, type Side } from './rounds.ts';
import { estimate, median } from './statistics.ts';

/** A number made of many rounds. */
export type Figure<Name extends string> = Pick<Finding, 'what' | 'unit' | 'limit' | 'bound'> & {
  of(rounds: readonly Round<Name>[]): number;
};

export type Comparison<Name extends string> = {
  sides: Readonly<Record<Name, Side>>;
  figures: readonly Figure<Name>[];
  /** Makes ready for a round; it is not measured. */
  between?: () => Promise<void>;
  atLeast?: number;
  /** After so many rounds, what is not resolved stays so. */
  atMost?: number;
};

const QUICK_ROUNDS = 6;
const LOOK_EVERY = 10;
/** Repeated checks find a lucky result now and then: to stop early, a figure must be clearer than at the end. */
const EARLY_CONFIDENCE = 0.997;

/** Takes rounds, with the order of the sides alternating, until every figure is clearly on one side of its limit. */
export async function compare<Name extends string>(
  { sides, figures, between, atLeast = 20, atMost = 300 }: Comparison<Name>,
  { quick, say }: Context,
): Promise<Finding[]> {
  await between?.();
  await measureRound(sides, false);
  const rounds: Round<Name>[] = [];
  const isClear = (figure: Figure<Name>) =>
    judged(figure, rounds, EARLY_CONFIDENCE).verdict !== 'NOT RESOLVED';
  while (rounds.length < (quick ? QUICK_ROUNDS : atMost)) {
    await between?.();
    rounds.push(await measureRound(sides, rounds.length % 2 === 1));
    say(`${rounds.length} rounds`);
    const mayLook = rounds.length >= atLeast && rounds.length % LOOK_EVERY === 0;
    if (mayLook && figures.every(isClear)) break;
  }
  return figures.map((figure) => judged(figure, rounds));
}

function judged<Name extends string>(
  { of, ...facts }: Figure<Name>,
  rounds: readonly Round<Name>[],
  confidence?: number,
): Finding {
  const detail = { ...medians(rounds, 'wallMs'), ...medians(rounds, 'cpuMs') };
  return finding({ ...facts, samples: rounds.length, detail }, estimate(rounds, of, confidence));
}

function medians<Name extends string>(
  rounds: readonly Round<Name>[],
  what: 'wallMs' | 'cpuMs',
): Record<string, number> {
  const names = Object.keys(rounds[0] ?? {}) as Name[];
  return Object.fromEntries(
    names.map((name) => [`${name} ${what}`, median(rounds.map((round) => round[name][what]))]),
  );
}
