import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { BatonError } from '@baton/protocol';
import { writeUnlessThere } from '../write-unless-there.ts';

const KEY_BYTES = 32;
const VARIABLE = 'BATON_MASTER_KEY';

export type MasterKeySource = {
  /** The file that holds the key; it is made at the first start. */
  file: string;
  env?: Readonly<Record<string, string | undefined>>;
};

/** The key for secrets at rest: from the environment, or from a file that only its owner can read. */
export function masterKey({ file, env = process.env }: MasterKeySource): Buffer {
  const given = env[VARIABLE];
  return given ? keyOf(given, VARIABLE) : keyInFile(file);
}

function keyInFile(file: string): Buffer {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeUnlessThere(file, `${randomBytes(KEY_BYTES).toString('base64url')}\n`);
  if (statSync(file).mode & 0o077) chmodSync(file, 0o600);
  return keyOf(readFileSync(file, 'utf8').trim(), file);
}

function keyOf(text: string, origin: string): Buffer {
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64url');
  if (key.length === KEY_BYTES) return key;
  throw new BatonError('config_invalid', `${origin} is not a 32-byte key.`, {
    hint: 'Generate one with: openssl rand -hex 32',
  });
}
