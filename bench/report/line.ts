import type { Finding } from '../benchmark.ts';

/** A finding in one line. */
export function findingLine(finding: Finding): string {
  const { what, samples, verdict } = finding;
  return `${verdict}: ${what} ${measured(finding)}, ${limit(finding)} (${samples} samples)`;
}

/** The number with its unit, and the interval when there is one. */
export function measured({ value, low, high, unit }: Finding): string {
  const number = `${shown(value)}${space(unit)}${unit}`;
  return low === high ? number : `${number} [${shown(low)} – ${shown(high)}]`;
}

/** Formats the limit of a number. */
export function limit({ limit: edge, bound, unit }: Finding): string {
  return `${bound} ${shown(edge)}${space(unit)}${unit}`;
}

function shown(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 100) return value.toFixed(0);
  return value.toFixed(size < 10 ? 3 : 1);
}

function space(unit: string): string {
  return unit === '×' ? '' : ' ';
}
