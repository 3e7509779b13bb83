import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'baton_';
const SECRET_BYTES = 32;

/** Creates a secret that is too long to guess. */
export function newSecretToken(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

/** Whether a text looks like one of our secrets. */
export function isSecretToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** What is kept of a secret: enough to know it again, not enough to use it. A long secret needs no slow hash. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
