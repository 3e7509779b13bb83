import type { Finding } from '../benchmark.ts';

/** Adds to the detail of a finding how many events each side passes in a second. */
export function withRates(finding: Finding, events: number): Finding {
  const times = Object.entries(finding.detail ?? {}).filter(([name]) => name.endsWith(' wallMs'));
  const rates = times.map(([name, milliseconds]) => [
    name.replace(' wallMs', ' events/s'),
    (1000 * events) / milliseconds,
  ]);
  return { ...finding, detail: { ...finding.detail, ...Object.fromEntries(rates) } };
}
