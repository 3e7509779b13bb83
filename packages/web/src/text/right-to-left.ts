const TURNED = String.raw`\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}`;
/** Letters and digits of right-to-left scripts: in sequence, they also reorder neutral characters between them. */
const RUN = new RegExp(`([${TURNED}][${TURNED}\\p{M}]*)`, 'u');

/** True if a text contains right-to-left characters. */
export function isTurned(text: string): boolean {
  return RUN.test(text);
}

/** Splits a text into parts; those with an odd index are right-to-left. */
export function byDirection(text: string): string[] {
  return text.split(RUN);
}
