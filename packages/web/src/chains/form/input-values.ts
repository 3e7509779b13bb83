import type { ChainRecord } from '@baton/client';

export type InputValues = Readonly<Record<string, string>>;
type Input = ChainRecord['inputs'][number];

/** The values of the inputs: what was typed or what an earlier run had, where it still fits, or else the defaults. */
export function valuesFor(
  inputs: ChainRecord['inputs'],
  given: InputValues = {},
): Record<string, string> {
  const values = inputs.map((input) => {
    const before = Object.hasOwn(given, input.name) ? given[input.name] : undefined;
    const value = before !== undefined && fits(input, before) ? before : (input.default ?? '');
    return [input.name, value] as const;
  });
  return Object.fromEntries(values);
}

/** An input without a default has to be given. */
export function isRequired(input: Input): boolean {
  return input.default === undefined;
}

function fits({ choices }: Input, value: string): boolean {
  return choices === undefined || choices.includes(value);
}
