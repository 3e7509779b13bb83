import { z } from 'zod';

/** A set of known words that lets unknown ones through, so that a newer writer never breaks an older reader. */
export function openEnum<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.string().meta({ examples: [...words] }) as unknown as z.ZodType<
    Words[number] | (string & {}),
    Words[number] | (string & {})
  >;
}
