import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'baton_';
const SECRET_BYTES = 32;

/** Creates a secret that is too long to guess. */
export function newSecretToken(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

/** True if a text looks like one of our secrets. */
export function isSecretToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Returns the hash of a secret, which is stored instead of it. A long secret needs no slow hash. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
