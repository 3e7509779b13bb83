import fc from 'fast-check';

/** One change to the lines of a recording. */
const change = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('value', 'drop', 'copy', 'swap', 'cut', 'flip'),
  value: fc.jsonValue({ maxDepth: 2 }),
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** Changes that a property test can apply to the lines of a recording. */
export const changes = fc.array(change, { minLength: 1, maxLength: 8 });

/** The lines after a change: dropped, repeated or moved ones, or one that is cut or has another value in it. */
export function changed(lines: readonly string[], { at, how, value }: Change): string[] {
  const index = lines.length === 0 ? 0 : at % lines.length;
  const line = lines[index] ?? '';
  if (how === 'drop') return lines.toSpliced(index, 1);
  if (how === 'copy') return lines.toSpliced(index, 0, line);
  if (how === 'swap') return [...lines.slice(index), ...lines.slice(0, index)];
  return lines.toSpliced(index, 1, changedLine(line, { at, how, value }));
}

function changedLine(line: string, { at, how, value }: Change): string {
  if (how === 'cut') return line.slice(0, at % (line.length + 1));
  if (how === 'flip') return line.replace('"', () => JSON.stringify(value));
  const values = [...line.matchAll(/:(?:"[^"]*"|\d+|\{\})/g)];
  const found = values[at % Math.max(1, values.length)];
  if (!found) return line;
  const rest = line.slice(found.index + found[0].length);
  return `${line.slice(0, found.index)}:${JSON.stringify(value)}${rest}`;
}
