import { createPrivateKey, sign } from 'node:crypto';
import { type Json, number, object, string } from '@baton/config/values/json';
import { BatonError, VERSION } from '@baton/protocol/values';
import type { DeviceIdentity } from './device-store.ts';

export const LABEL = 'OpenClaw';

/** Scopes that Baton needs, to run prompts and to read their events. */
export const SCOPES: readonly string[] = ['operator.read', 'operator.write'];

/** The gateway accepts known names only, and issues device tokens to few of them; `displayName` is free. */
const CLIENT = { id: 'cli', mode: 'cli', version: VERSION, displayName: 'Baton' };
const ROLE = 'operator';

/** The protocol versions of the releases since April 2026. */
const PROTOCOLS = { minProtocol: 3, maxProtocol: 4 };

export type Auth = { token?: string; deviceToken?: string; password?: string };

type ConnectInput = {
  challenge: { nonce: string; ts: number };
  device: DeviceIdentity;
  auth: Auth;
  scopes: readonly string[];
};

/** The first request of a connection: says who connects, and proves it. */
export function connectParams({ challenge, device, auth, scopes }: ConnectInput): Json {
  const { displayName, id, mode, version } = CLIENT;
  return {
    ...PROTOCOLS,
    client: { id, version, platform: device.platform, mode, displayName },
    role: ROLE,
    scopes,
    // Without it the gateway does not tell what tools do.
    caps: ['tool-events'],
    ...(Object.keys(auth).length > 0 ? { auth } : {}),
    device: {
      id: device.id,
      publicKey: device.publicKey,
      signature: signatureOf(signedText({ challenge, device, auth, scopes }), device),
      // By the clock of the gateway: that of this machine may be wrong.
      signedAt: challenge.ts,
      nonce: challenge.nonce,
    },
  };
}

/** The text that the device signs. */
export function signedText({ challenge, device, auth, scopes }: ConnectInput): string {
  return [
    'v3',
    device.id,
    CLIENT.id,
    CLIENT.mode,
    ROLE,
    scopes.join(','),
    challenge.ts,
    auth.token ?? auth.deviceToken ?? '',
    challenge.nonce,
    device.platform.trim().toLowerCase(),
    // The family of the device, which Baton does not tell.
    '',
  ].join('|');
}

function signatureOf(text: string, { privateKeyPem }: DeviceIdentity): string {
  return sign(null, Buffer.from(text), createPrivateKey(privateKeyPem)).toString('base64url');
}

/** Refusal of a connection by the gateway; its properties say if another attempt can help. */
export class ConnectRefusal extends Error {
  readonly refusal: Json;

  constructor(refusal: Json) {
    super(string(refusal.message) ?? 'The gateway refused the connection.');
    this.refusal = refusal;
  }

  /** Milliseconds until the next attempt, while the gateway is still starting. */
  get retryAfterMs(): number | undefined {
    const { code, retryable, retryAfterMs } = this.refusal;
    if (code !== 'UNAVAILABLE' || retryable !== true) return undefined;
    return number(retryAfterMs) ?? 500;
  }

  /** The device token was rotated or revoked, or does not have these scopes. */
  get isStaleToken(): boolean {
    return STALE_TOKEN.includes(this.#detail);
  }

  /** The signature arrived too late. */
  get isExpired(): boolean {
    return this.#detail === 'DEVICE_AUTH_SIGNATURE_EXPIRED';
  }

  toError(): BatonError {
    return refusalError(this.refusal);
  }

  get #detail(): string {
    return string(object(this.refusal.details).code) ?? '';
  }
}

const STALE_TOKEN = ['AUTH_DEVICE_TOKEN_MISMATCH', 'AUTH_SCOPE_MISMATCH'];

/** The error of a refused connection. */
export function refusalError(refusal: Json): BatonError {
  const details = object(refusal.details);
  const detail = string(details.code) ?? '';
  const message = string(refusal.message) ?? 'no reason given';
  if (refusal.code === 'NOT_PAIRED' || detail === 'PAIRING_REQUIRED') {
    return pairingError(message, string(details.requestId));
  }
  if (refusal.code === 'UNAVAILABLE') {
    return new BatonError('network_unreachable', `The ${LABEL} gateway is not ready: ${message}`);
  }
  // Older releases give no code.
  if (detail === 'PROTOCOL_MISMATCH' || details.expectedProtocol !== undefined) {
    return new BatonError('capability_missing', `The ${LABEL} gateway refused Baton: ${message}`, {
      hint: `Baton speaks protocol ${PROTOCOLS.minProtocol} to ${PROTOCOLS.maxProtocol}. Use a release of ${LABEL} that does too.`,
    });
  }
  if (detail === 'AUTH_RATE_LIMITED') {
    return new BatonError('too_many_requests', `The ${LABEL} gateway refused Baton: ${message}`);
  }
  if (detail.startsWith('AUTH_')) {
    return new BatonError('auth_missing', `The ${LABEL} gateway refused Baton: ${message}`, {
      hint: 'Set OPENCLAW_GATEWAY_TOKEN or OPENCLAW_GATEWAY_PASSWORD to the secret of the gateway.',
    });
  }
  return new BatonError('access_denied', `The ${LABEL} gateway refused Baton: ${message}`, {
    hint: 'Check the log of the gateway.',
  });
}

/** A person has to admit the device. */
function pairingError(message: string, requestId: string | undefined): BatonError {
  const command = `openclaw devices approve ${requestId ?? '--latest'}`;
  return new BatonError(
    'approval_required',
    `The ${LABEL} gateway requires approval of this device: ${message}`,
    { hint: `Run "${command}" on the machine of the gateway, then retry.` },
  );
}
