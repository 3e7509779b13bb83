import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { writeDraft } from '@baton/config/paths/atomic-file';
import { userConfigPath } from '@baton/config/settings/config-file';
import { array, object, parseJson, string } from '@baton/config/values/json';
import { BatonError } from '@baton/protocol/values';

/** The Ed25519 key by which gateways know this installation of Baton. */
export type DeviceIdentity = {
  /** The SHA-256 of the public key, in hexadecimal. */
  id: string;
  /** The 32 bytes of the public key, in base64url. */
  publicKey: string;
  privateKeyPem: string;
  /** Platform that the device was paired as; a gateway asks for approval again when it changes. */
  platform: string;
};

/** A token that a gateway issued to the device, and its scopes. */
type DeviceToken = { token: string; scopes: readonly string[] };

/**
 * Keeps the identity of the device and its tokens in files that only this user can read. They are not in the folder of
 * OpenClaw: it refuses to work with device files that it did not write.
 */
export class DeviceStore {
  #folder: string;

  constructor(home: string) {
    this.#folder = join(dirname(userConfigPath(home)), 'openclaw');
  }

  /** The identity; the first call creates it. */
  identity(): DeviceIdentity {
    const path = join(this.#folder, 'device.json');
    return readIdentity(path) ?? this.#createIdentity(path);
  }

  token(url: string): DeviceToken | undefined {
    const kept = object(parseJson(readPrivate(this.#tokenPath(url)) ?? ''));
    const token = string(kept.token);
    const scopes = array(kept.scopes).filter((scope) => typeof scope === 'string');
    return token === undefined ? undefined : { token, scopes };
  }

  keepToken(url: string, token: DeviceToken): void {
    this.#write(this.#tokenPath(url), { url, ...token }, renameSync);
  }

  /** Removes a token that the gateway rejected, unless another program has replaced it meanwhile. */
  forgetToken(url: string, rejected: string): void {
    if (this.token(url)?.token === rejected) rmSync(this.#tokenPath(url), { force: true });
  }

  /** One file for each gateway, so that programs that use different ones do not overwrite each other's tokens. */
  #tokenPath(url: string): string {
    const name = createHash('sha256').update(url).digest('hex').slice(0, 16);
    return join(this.#folder, `token-${name}.json`);
  }

  #createIdentity(path: string): DeviceIdentity {
    const { privateKey } = generateKeyPairSync('ed25519');
    const privateKeyPem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    try {
      this.#write(path, { version: 1, privateKeyPem, platform: process.platform }, linkSync);
    } catch (error) {
      // Another program was faster; its identity counts.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const created = readIdentity(path);
    if (created) return created;
    throw new BatonError('config_invalid', `Cannot keep the device identity in ${path}.`);
  }

  /** Writes a file completely before it gets its name. */
  #write(path: string, content: object, publish: (from: string, to: string) => void): void {
    let draft: string | undefined;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      draft = writeDraft(path, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
      publish(draft, path);
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') throw cause;
      throw new BatonError('config_invalid', `Cannot write ${path}.`, {
        hint: 'Make the folder writable: Baton keeps its OpenClaw device identity there.',
        cause,
      });
    } finally {
      if (draft) rmSync(draft, { force: true });
    }
  }
}

function readIdentity(path: string): DeviceIdentity | undefined {
  const text = readPrivate(path);
  if (text === undefined) return undefined;
  const kept = object(parseJson(text));
  try {
    const privateKeyPem = string(kept.privateKeyPem) ?? '';
    const raw = rawPublicKey(privateKeyPem);
    return {
      id: createHash('sha256').update(raw).digest('hex'),
      publicKey: raw.toString('base64url'),
      privateKeyPem,
      platform: string(kept.platform) ?? process.platform,
    };
  } catch (cause) {
    throw new BatonError('config_invalid', `${path} does not contain a device identity.`, {
      hint: 'Delete the file to create a new identity. Gateways will ask for approval of the new device.',
      cause,
    });
  }
}

/** The last 32 bytes of the key in its standard encoding. */
function rawPublicKey(privateKeyPem: string): Buffer {
  const key = createPublicKey(createPrivateKey(privateKeyPem));
  return key.export({ type: 'spki', format: 'der' }).subarray(-32);
}

/** Reads a file and takes the rights of others away; nothing when there is none. */
function readPrivate(path: string): string | undefined {
  try {
    if (statSync(path).mode & 0o077) chmodSync(path, 0o600);
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new BatonError('config_invalid', `Cannot read ${path}.`, { cause });
  }
}
