import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { masterKey } from './master-key.ts';
import { hashPassword, isPassword } from './password.ts';
import { SealedBox } from './sealed-box.ts';
import { hashOfToken, isSecretToken, newSecretToken } from './secret-token.ts';
import { TaskTokens } from './task-token.ts';

describe('a password', () => {
  test('is known again, and no other one', async () => {
    const kept = await hashPassword('correct horse');
    expect(kept).not.toContain('horse');
    expect(await isPassword('correct horse', kept)).toBe(true);
    expect(await isPassword('wrong horse', kept)).toBe(false);
  });

  test('is hashed with another salt each time', async () => {
    expect(await hashPassword('a')).not.toBe(await hashPassword('a'));
  });

  test.each([null, undefined, '', 'plain', 'scrypt$1$2'])('is not that of %j', async (kept) => {
    expect(await isPassword('', kept)).toBe(false);
  });
});

describe('a sealed box', () => {
  const box = new SealedBox(Buffer.alloc(32, 1));

  test('round-trips any secret, and shows nothing of it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 8 }), (secret) => {
        const sealed = box.seal(secret, 'place');
        expect(sealed).not.toContain(secret);
        expect(box.open(sealed, 'place')).toBe(secret);
      }),
    );
  });

  test('opens with its own key, in its own place and unchanged, and not otherwise', () => {
    const sealed = box.seal('secret', 'place');
    const other = new SealedBox(Buffer.alloc(32, 2));
    expect(() => other.open(sealed, 'place')).toThrow('master key');
    expect(() => box.open(sealed, 'elsewhere')).toThrow('master key');
    for (let at = 3; at < sealed.length - 1; at++) {
      const changed = sealed[at] === 'A' ? 'B' : 'A';
      const bad = sealed.slice(0, at) + changed + sealed.slice(at + 1);
      expect(() => box.open(bad, 'place')).toThrow('master key');
    }
    for (const bad of ['', 'v1.', 'v2.abc', 'v1.abcd']) {
      expect(() => box.open(bad, 'place')).toThrow('master key');
    }
  });
});

describe('the master key', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'baton-key-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('is made once, in a file that only its owner can read', () => {
    const file = join(folder, 'deep', 'master.key');
    const key = masterKey({ file, isNew: true, env: {} });
    expect(key).toHaveLength(32);
    expect(masterKey({ file, isNew: true, env: {} })).toEqual(key);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('is never made for a database that has another one', () => {
    const file = join(folder, 'master.key');
    const start = () => masterKey({ file, isNew: false, env: {} });
    expect(start).toThrow(`The master key ${file} is missing.`);
    expect(existsSync(file)).toBe(false);
    for (const text of ['', 'garbage']) {
      writeFileSync(file, text);
      expect(start).toThrow(expect.objectContaining({ hint: expect.stringContaining('restore') }));
    }
  });

  test('is not left incomplete on a full disk', () => {
    const file = join(folder, 'master.key');
    const module = join(import.meta.dirname, 'master-key.ts');
    const make = `(await import(${JSON.stringify(module)})).masterKey({ file: ${JSON.stringify(file)}, isNew: true, env: {} })`;
    // The kernel lets this process make files, and write nothing into them.
    const script = 'ulimit -f 0; exec "$0" --input-type=module -e "$1"';
    const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, make]);
    expect(`${stderr}`).toContain('EFBIG');
    expect(status).toBe(1);
    expect(existsSync(file)).toBe(false);
    expect(masterKey({ file, isNew: true, env: {} })).toHaveLength(32);
  });

  test('is closed to others when it was open', () => {
    const file = join(folder, 'master.key');
    writeFileSync(file, Buffer.alloc(32, 7).toString('hex'), { mode: 0o644 });
    expect(masterKey({ file, isNew: true, env: {} })).toEqual(Buffer.alloc(32, 7));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('is read from the environment if set', () => {
    const env = { BATON_MASTER_KEY: Buffer.alloc(32, 9).toString('base64url') };
    expect(masterKey({ file: '/does/not/exist', isNew: true, env })).toEqual(Buffer.alloc(32, 9));
  });

  test.each(['short', 'ab'.repeat(33)])('must be one: %s', (text) => {
    const env = { BATON_MASTER_KEY: text };
    expect(() => masterKey({ file: '/x', isNew: true, env })).toThrow(
      'BATON_MASTER_KEY is not a 32-byte key',
    );
  });
});

describe('a secret token', () => {
  test('is known by its hash, which does not show it', () => {
    const token = newSecretToken();
    expect(isSecretToken(token)).toBe(true);
    expect(token).not.toBe(newSecretToken());
    expect(hashOfToken(token)).toBe(hashOfToken(token));
    expect(hashOfToken(token)).not.toContain(token.slice(6));
  });
});

describe('a task token', () => {
  const claims = { sessionId: 's', taskId: 't', executorId: 'e', fence: 4, userId: 'u' };
  const tokens = (now = 1_000_000, fill = 1) =>
    new TaskTokens({ key: Buffer.alloc(32, fill), lifeMs: 60_000, now: () => now });

  test('says what its bearer may act for', async () => {
    const token = await tokens().sign(claims);
    expect(await tokens().verify(token)).toEqual(claims);
  });

  test('is good for a while only', async () => {
    const token = await tokens().sign(claims);
    expect(await tokens(1_059_000).verify(token)).toEqual(claims);
    expect(await tokens(1_062_000).verify(token)).toBeUndefined();
  });

  test('is good for no longer when it was shown before', async () => {
    let now = 1_000_000;
    const clock = new TaskTokens({ key: Buffer.alloc(32, 1), lifeMs: 60_000, now: () => now });
    const token = await clock.sign(claims);
    for (const later of [0, 59_000]) {
      now = 1_000_000 + later;
      expect(await clock.verify(token)).toEqual(claims);
    }
    now = 1_062_000;
    expect(await clock.verify(token)).toBeUndefined();
  });

  test('of another daemon, or changed, or of no kind at all, is nothing', async () => {
    const token = await tokens().sign(claims);
    expect(await tokens(1_000_000, 2).verify(token)).toBeUndefined();
    const [head, , signature] = token.split('.');
    const body = Buffer.from(JSON.stringify({ ...claims, aud: 'baton-executor' }));
    const forged = [head, body.toString('base64url'), signature].join('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const unsigned = [none, body.toString('base64url'), ''].join('.');
    for (const bad of [forged, unsigned, '', 'a.b.c', 'x']) {
      expect(await tokens().verify(bad)).toBeUndefined();
    }
  });
});
