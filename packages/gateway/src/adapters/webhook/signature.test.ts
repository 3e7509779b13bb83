import { openStore } from '@baton/store';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type SignedRequest,
  signatureProblem,
  signWebhook,
  TOLERANCE_MS,
  verifyWebhook,
} from './signature.ts';

const RUNS = { numRuns: 200 };
const SECRET = 's'.repeat(32);
const NOW = 1_800_000_000_000;

const secret = fc.string({ minLength: 32, maxLength: 64 });
const body = fc.oneof(fc.string(), fc.uint8Array());
const offset = fc.integer({ min: -TOLERANCE_MS, max: TOLERANCE_MS });

function signed(key: string, time: number, content: string | Uint8Array): SignedRequest {
  const request = { timestamp: String(time), body: content };
  return { ...request, signature: signWebhook(key, request) };
}

describe('signatureProblem', () => {
  test('accepts what the owner of the secret signed within five minutes', () => {
    fc.assert(
      fc.property(secret, body, offset, (key, content, shift) => {
        expect(signatureProblem(key, signed(key, NOW + shift, content), NOW)).toBeUndefined();
      }),
      RUNS,
    );
  });

  test('rejects old and future requests', () => {
    const tooFar = fc.integer({ min: TOLERANCE_MS + 1, max: NOW / 2 });
    fc.assert(
      fc.property(body, tooFar, fc.boolean(), (content, shift, isOld) => {
        const request = signed(SECRET, isOld ? NOW - shift : NOW + shift, content);
        expect(signatureProblem(SECRET, request, NOW)).toBe('expired');
      }),
      RUNS,
    );
  });

  test('rejects another secret, another body and another timestamp', () => {
    fc.assert(
      fc.property(secret, secret, fc.string(), fc.string(), (key, other, content, changed) => {
        fc.pre(key !== other && content !== changed);
        const request = signed(key, NOW, content);
        expect(signatureProblem(other, request, NOW)).toBe('forged');
        expect(signatureProblem(key, { ...request, body: changed }, NOW)).toBe('forged');
        const later = { ...request, timestamp: String(NOW + 1) };
        expect(signatureProblem(key, later, NOW)).toBe('forged');
      }),
      RUNS,
    );
  });

  test('rejects any change of one digit', () => {
    const digit = fc.constantFrom(...'0123456789abcdef');
    fc.assert(
      fc.property(fc.nat({ max: 63 }), digit, (at, value) => {
        const request = signed(SECRET, NOW, 'body');
        fc.pre(request.signature[at] !== value);
        const signature = request.signature.slice(0, at) + value + request.signature.slice(at + 1);
        expect(signatureProblem(SECRET, { ...request, signature }, NOW)).toBe('forged');
      }),
      RUNS,
    );
  });

  test('rejects signatures of another length or spelling', () => {
    const request = signed(SECRET, NOW, 'body');
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (signature) => {
        fc.pre(!/^[0-9a-f]{64}$/.test(signature));
        expect(signatureProblem(SECRET, { ...request, signature }, NOW)).toBe('malformed');
      }),
      RUNS,
    );
    const upper = { ...request, signature: request.signature.toUpperCase() };
    expect(signatureProblem(SECRET, upper, NOW)).toBe('malformed');
    const long = { ...request, signature: `${request.signature}00` };
    expect(signatureProblem(SECRET, long, NOW)).toBe('malformed');
  });

  test.each(['', '-1', '1e3', '0x10', ' 1', '1.5', 'NaN', '9'.repeat(16)])(
    'rejects the timestamp "%s"',
    (timestamp) => {
      const signature = signWebhook(SECRET, { timestamp, body: '' });
      expect(signatureProblem(SECRET, { timestamp, signature, body: '' }, NOW)).toBe('malformed');
    },
  );

  test('refuses a short secret', () => {
    expect(() => signWebhook('short', { timestamp: '1', body: '' })).toThrow(
      'The webhook secret must have at least 32 characters.',
    );
  });
});

describe('verifyWebhook', () => {
  test('accepts each request once, as long as it is not too old', async () => {
    let now = NOW;
    const store = await openStore({ url: ':memory:', now: () => now });
    const verify = (request: SignedRequest) =>
      verifyWebhook(SECRET, request, { replays: store.gatewaySignatures, now });
    const request = signed(SECRET, NOW, 'body');
    expect(await verify({ ...request, body: 'changed' })).toBe('forged');
    expect(await verify(request)).toBeUndefined();
    expect(await verify(request)).toBe('replayed');
    expect(await verify(signed(SECRET, NOW, 'other'))).toBeUndefined();
    now = NOW + TOLERANCE_MS;
    expect(await verify(request)).toBe('replayed');
    now += 1;
    expect(await verify(request)).toBe('expired');
    await store.close();
  });

  test('accepts no request twice, whenever it is replayed', async () => {
    const store = await openStore({ url: ':memory:', now: () => NOW });
    await fc.assert(
      fc.asyncProperty(fc.uuid(), offset, offset, async (content, shift, delay) => {
        const request = signed(SECRET, NOW + shift, content);
        const context = { replays: store.gatewaySignatures, now: NOW };
        const first = await verifyWebhook(SECRET, request, context);
        const second = await verifyWebhook(SECRET, request, { ...context, now: NOW + delay });
        expect([first, second].filter((problem) => problem === undefined)).toHaveLength(1);
      }),
      { numRuns: 100 },
    );
    await store.close();
  });
});
