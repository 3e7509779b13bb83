/** A token as Discord expects it. People copy it with a line break, or with the prefix of the HTTP header. */
export function normalizeToken(token: string): string {
  return token.trim().replace(/^Bot\s+/i, '');
}
