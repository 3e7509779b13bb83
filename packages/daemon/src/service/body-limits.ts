const KB = 1024;
const MB = 1024 * KB;

/** Default size limit of a request body or a socket message; methods can set their own. */
export const MAX_BODY_BYTES = MB;

/** For methods that take prompts (10 MB), attachments (20 MB as base64), events (16 MB each) or the log of a session. */
export const MAX_LARGE_BODY_BYTES = 32 * MB;

/** For logins, which are read before the caller is known; enough for a name and a password. */
export const MAX_LOGIN_BYTES = 8 * KB;

/** Maximum number of characters in a page of a transcript, unless a single entry is longer. */
export const MAX_PAGE_CHARACTERS = 8 * MB;

/** A limit as text. */
export function sizeInWords(bytes: number): string {
  return bytes < MB ? `${bytes / KB} KB` : `${bytes / MB} MB`;
}
