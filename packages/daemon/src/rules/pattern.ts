/** True if a text matches a pattern: `*` is a wildcard, `\*` is a literal star. */
export function isMatch(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pieces(pattern);
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  // From left to right, each piece at the first place where it stands: that costs no more than reading the text.
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Returns the pattern that matches only this text. */
export function patternFor(text: string): string {
  return text.replaceAll(/[*\\]/g, (character) => `\\${character}`);
}

/** True if a pattern can match more than one text. */
export function isWide(pattern: string): boolean {
  return pieces(pattern).length > 1;
}

/** The literal parts between the wildcards. */
function pieces(pattern: string): string[] {
  const found = [''];
  for (const part of pattern.match(/\\[*\\]|./gs) ?? []) {
    if (part === '*') found.push('');
    else found[found.length - 1] += part.length === 2 ? part.slice(1) : part;
  }
  return found;
}
