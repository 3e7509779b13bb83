import { createHmac, timingSafeEqual } from 'node:crypto';
import { BatonError } from '@baton/protocol';

/** A request is rejected if its timestamp differs by more than this from the time of the gateway. */
export const TOLERANCE_MS = 5 * 60 * 1000;
const MIN_SECRET_LENGTH = 32;

export type SignedRequest = {
  /** Time at which the request was signed, in milliseconds since 1970, as sent. */
  timestamp: string;
  /** 64 hexadecimal digits. */
  signature: string;
  body: string | Uint8Array;
};

export type SignatureProblem = 'malformed' | 'expired' | 'forged' | 'replayed';

/** The signatures that were used. `Store.gatewaySignatures` is one. */
export type ReplayList = {
  /** Stores a signature until it expires; false if it is stored already. */
  remember(signature: string, expiresAt: number): Promise<boolean>;
};

/** HMAC-SHA256 over the timestamp, a period and the body, in hexadecimal digits. */
export function signWebhook(
  secret: string,
  { timestamp, body }: Omit<SignedRequest, 'signature'>,
): string {
  if (secret.length < MIN_SECRET_LENGTH) {
    throw new BatonError(
      'config_invalid',
      `The webhook secret must have at least ${MIN_SECRET_LENGTH} characters.`,
      { hint: 'Generate one with "openssl rand -hex 32".' },
    );
  }
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}

/** Returns the problem of a request's signature, without regard to earlier requests. */
export function signatureProblem(
  secret: string,
  request: SignedRequest,
  now: number,
): SignatureProblem | undefined {
  const { timestamp, signature } = request;
  // Only one spelling is valid, so that a replay cannot pass as another signature.
  if (!/^\d{1,15}$/.test(timestamp) || !/^[0-9a-f]{64}$/.test(signature)) return 'malformed';
  const expected = Buffer.from(signWebhook(secret, request), 'hex');
  if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) return 'forged';
  return Math.abs(now - Number(timestamp)) > TOLERANCE_MS ? 'expired' : undefined;
}

/** Verifies a request and remembers it: the same request is valid once. */
export async function verifyWebhook(
  secret: string,
  request: SignedRequest,
  { replays, now }: { replays: ReplayList; now: number },
): Promise<SignatureProblem | undefined> {
  const problem = signatureProblem(secret, request, now);
  if (problem) return problem;
  const expiresAt = Number(request.timestamp) + TOLERANCE_MS;
  return (await replays.remember(request.signature, expiresAt)) ? undefined : 'replayed';
}
