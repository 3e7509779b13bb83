import { cpuMs } from './cpu.ts';

/** One thing to measure; it has ended when the promise settles. */
export type Side = () => Promise<unknown>;
export type Sample = { wallMs: number; cpuMs: number };
/** One sample of every side, taken close to each other. */
export type Round<Name extends string> = Record<Name, Sample>;

/** Measures all sides once, in the given order or the other way round. */
export async function measureRound<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  backwards: boolean,
): Promise<Round<Name>> {
  const names = Object.keys(sides) as Name[];
  const round: Partial<Round<Name>> = {};
  for (const name of backwards ? names.reverse() : names) round[name] = await sample(sides[name]);
  return round as Round<Name>;
}

async function sample(side: Side): Promise<Sample> {
  const cpuBefore = cpuMs();
  const started = performance.now();
  await side();
  return { wallMs: performance.now() - started, cpuMs: cpuMs() - cpuBefore };
}
