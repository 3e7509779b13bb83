import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** 64 MB for each guess. */
const COST: ScryptOptions = { N: 2 ** 16, r: 8, p: 1, maxmem: 2 ** 27 };

/** Returns the hash of a password, for storing. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST);
  const { N, r, p } = COST;
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** True if a password matches a hash. Takes as long without a hash, so that user names cannot be guessed. */
export async function isPassword(
  password: string,
  kept: string | null | undefined,
): Promise<boolean> {
  const [kind, N, r, p, salt, hash] = (kept ?? NOBODY).split('$');
  if (kind !== 'scrypt' || salt === undefined || hash === undefined) return false;
  const cost = { ...COST, N: Number(N), r: Number(r), p: Number(p) };
  const expected = Buffer.from(hash, 'base64url');
  const derived = await derive(password, Buffer.from(salt, 'base64url'), cost);
  return derived.length === expected.length && timingSafeEqual(derived, expected);
}

/** No password has this hash. */
const NOBODY = ['scrypt', COST.N, COST.r, COST.p, 'AAAAAAAAAAAAAAAAAAAAAA', ''].join('$');

function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, cost, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
