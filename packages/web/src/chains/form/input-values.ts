import type { ChainRecord } from '@baton/client';

export type InputValues = Readonly<Record<string, string>>;
type Input = ChainRecord['inputs'][number];

/** What the form begins with: the values of an earlier run where they still fit, or else the defaults. */
export function firstValues(
  inputs: ChainRecord['inputs'],
  earlier: InputValues = {},
): Record<string, string> {
  const values = inputs.map((input) => {
    const before = Object.hasOwn(earlier, input.name) ? earlier[input.name] : undefined;
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
