import { seeded } from '../bench/measure/random.ts';

/** Kinds of faults. */
export const FAULTS = [
  'kill the daemon',
  'kill the daemon at a claim',
  'stop the daemon',
  'stop the service',
  'stop an executor',
  'kill an executor',
  'kill an agent',
  'cut the connection',
  'silence the connection',
  'fill the disk',
  'kill PostgreSQL',
  'set the clock',
  'remove the spool folder',
] as const;
export type FaultKind = (typeof FAULTS)[number];

/** A fault with its start and duration, in milliseconds. */
export type Fault = { kind: FaultKind; at: number; lasts: number; choice: number };

export type RoundPlan = {
  name: string;
  engine: 'sqlite' | 'postgres';
  /** True if agents are kept ready for the next prompt of their session. */
  keepsAgents: boolean;
  faults: readonly Fault[];
};

const FIRST_FAULT_MS = 2500;
const LONGEST_FAULT_MS = 1500;
const MOST_FAULTS = 4;

/** Plans rounds: the same for the same seed, with each kind of fault as soon as there are enough rounds. */
export function planRounds(seed: number, rounds: number, without: readonly FaultKind[]) {
  const random = seeded(seed);
  const kinds = FAULTS.filter((kind) => !without.includes(kind));
  return Array.from({ length: rounds }, (_, index) => {
    const first = kinds[index % kinds.length] ?? 'kill the daemon';
    return planRound(`round ${index + 1} of seed ${seed}`, first, kinds, random);
  });
}

function planRound(
  name: string,
  first: FaultKind,
  kinds: readonly FaultKind[],
  random: () => number,
): RoundPlan {
  const engine = first === 'kill PostgreSQL' || random() < 0.2 ? 'postgres' : 'sqlite';
  const possible = kinds.filter((kind) => engine === 'postgres' || kind !== 'kill PostgreSQL');
  const count = 1 + Math.floor(random() * MOST_FAULTS);
  const further = Array.from(
    { length: count - 1 },
    () => possible[Math.floor(random() * possible.length)] ?? first,
  );
  const faults = [first, ...further].map((kind) => ({
    kind,
    at: Math.round(random() * FIRST_FAULT_MS),
    lasts: Math.round(100 + random() * (LONGEST_FAULT_MS - 100)),
    choice: random(),
  }));
  faults.sort((a, b) => a.at - b.at);
  const keepsAgents = random() < 0.5;
  const how = keepsAgents ? `${engine} with ready agents` : engine;
  const words = faults.map(({ kind, at }) => `${kind} at ${at} ms`).join(', ');
  return { name: `${name}, on ${how}: ${words}`, engine, keepsAgents, faults };
}
