import { BatonError } from '@baton/protocol/values';

/** Reads options of the form KEY=VALUE. */
export function readPairs(pairs: readonly string[], flag: string): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new BatonError('usage', `${flag} expects KEY=VALUE, not "${pair}".`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
