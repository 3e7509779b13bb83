import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { BatonError } from '@baton/protocol';
import { noteSecret } from '../logs/redact.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

/** Keeps secrets at rest: what comes out is only readable with the key, and only in the place it was made for. */
export class SealedBox {
  #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** Encrypts a secret for one place, such as the id of its row. */
  seal(secret: string, place: string): string {
    noteSecret(secret);
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(place));
    const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    const box = Buffer.concat([nonce, cipher.getAuthTag(), body]);
    return `${VERSION}.${box.toString('base64url')}`;
  }

  /** Decrypts what was sealed for the same place. */
  open(sealed: string, place: string): string {
    const [version, text = ''] = sealed.split('.');
    const box = Buffer.from(text, 'base64url');
    if (version !== VERSION || box.length < NONCE_BYTES + TAG_BYTES) throw unreadable();
    const nonce = box.subarray(0, NONCE_BYTES);
    const tag = box.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(place)).setAuthTag(tag);
    try {
      const body = decipher.update(box.subarray(NONCE_BYTES + TAG_BYTES));
      const secret = Buffer.concat([body, decipher.final()]).toString('utf8');
      noteSecret(secret);
      return secret;
    } catch {
      throw unreadable();
    }
  }
}

function unreadable(): BatonError {
  return new BatonError('config_invalid', 'Cannot decrypt a stored secret with this master key.', {
    hint: 'Start the daemon with the original master key, or enter the secret again.',
  });
}
