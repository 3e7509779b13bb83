import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { BatonError } from '@baton/protocol';
import { writeUnlessThere } from '../write-unless-there.ts';

const KEY_BYTES = 32;
const VARIABLE = 'BATON_MASTER_KEY';
export const RESTORE =
  'The database has secrets that only its own key can decrypt: restore master.key, or set BATON_MASTER_KEY to it.';

type MasterKeySource = {
  /** The file that holds the key. */
  file: string;
  /** True if nothing is encrypted yet, so that a new key can be generated. */
  isNew: boolean;
  env?: Readonly<Record<string, string | undefined>>;
};

/** The key for secrets at rest: from the environment, or from a file that only its owner can read. */
export function masterKey({ file, isNew, env = process.env }: MasterKeySource): Buffer {
  const given = env[VARIABLE];
  if (given) return keyOf(given, VARIABLE, isNew);
  if (!isNew && !existsSync(file)) {
    throw new BatonError('config_invalid', `The master key ${file} is missing.`, { hint: RESTORE });
  }
  return keyInFile(file, isNew);
}

function keyInFile(file: string, isNew: boolean): Buffer {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (isNew) writeUnlessThere(file, `${randomBytes(KEY_BYTES).toString('base64url')}\n`);
  if (statSync(file).mode & 0o077) chmodSync(file, 0o600);
  return keyOf(readFileSync(file, 'utf8').trim(), file, isNew);
}

function keyOf(text: string, origin: string, isNew: boolean): Buffer {
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64url');
  if (key.length === KEY_BYTES) return key;
  throw new BatonError('config_invalid', `${origin} is not a 32-byte key.`, {
    hint: isNew ? 'Generate one with: openssl rand -hex 32' : RESTORE,
  });
}
