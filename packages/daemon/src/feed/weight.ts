/** About how many characters a value has as JSON; exact enough to keep memory within bounds, and much cheaper. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let weight = 2;
  for (const [name, part] of Object.entries(value)) weight += name.length + 4 + weightOf(part);
  return weight;
}
