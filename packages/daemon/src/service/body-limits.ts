const KB = 1024;
const MB = 1024 * KB;

/** How large the body of a request or a message over a socket may be, unless its method says otherwise. */
export const MAX_BODY_BYTES = MB;

/** For methods that take prompts (10 MB), attachments (20 MB as base64), events (16 MB each) or the log of a session. */
export const MAX_LARGE_BODY_BYTES = 32 * MB;

/** For logins, which are read before anybody is known: a name and a password fit in. */
export const MAX_LOGIN_BYTES = 8 * KB;

/** How many characters a page of a transcript has, unless a single entry has more. */
export const MAX_PAGE_CHARACTERS = 8 * MB;

/** A limit as text. */
export function sizeInWords(bytes: number): string {
  return bytes < MB ? `${bytes / KB} KB` : `${bytes / MB} MB`;
}
