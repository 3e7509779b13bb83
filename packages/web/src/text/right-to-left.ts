const TURNED = String.raw`\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}`;
/** Letters and digits of right-to-left scripts: in a row they also reorder what is between them. */
const RUN = new RegExp(`([${TURNED}][${TURNED}\\p{M}]*)`, 'u');

/** Whether a text has anything that is written from right to left. */
export function isTurned(text: string): boolean {
  return RUN.test(text);
}

/** A text in parts: those with an odd index are written from right to left. */
export function byDirection(text: string): string[] {
  return text.split(RUN);
}
