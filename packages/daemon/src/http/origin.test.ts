import { describe, expect, test } from 'vitest';
import { refusal } from './origin.ts';

const OTHER_SITE = 'Cross-origin requests are not allowed.';
const HERE = { isLocal: true, publicUrl: undefined };
const PROXIED = { isLocal: true, publicUrl: 'https://baton.example' };
const OPEN = { isLocal: false, publicUrl: undefined };

describe('a daemon for this machine', () => {
  test.each(['127.0.0.1:3030', 'localhost:3030', '[::1]:3030', '192.168.0.7:3030'])(
    'answers as %s, to its own page',
    (host) => {
      expect(refusal({ headers: { host } }, HERE)).toBeUndefined();
      expect(refusal({ headers: { host, origin: `http://${host}` } }, HERE)).toBeUndefined();
      expect(refusal({ headers: { host, origin: 'https://evil.example' } }, HERE)).toBe(OTHER_SITE);
    },
  );

  test.each(['evil.example:3030', 'evil.example', 'localhost.evil.example', '', '[', 'a b'])(
    'does not answer as "%s", which may be a name that was made to lead here',
    (host) => {
      const origin = `http://${host}`;
      expect(refusal({ headers: { host, origin } }, HERE)).toContain('Unrecognized Host header');
      expect(refusal({ headers: { host } }, HERE)).toContain('Unrecognized Host header');
    },
  );

  test('answers under the address of the proxy in front of it, whatever that passes on', () => {
    const origin = 'https://baton.example';
    for (const host of ['baton.example', '127.0.0.1:3030']) {
      expect(refusal({ headers: { host, origin } }, PROXIED)).toBeUndefined();
      expect(refusal({ headers: { host } }, PROXIED)).toBeUndefined();
    }
    const evil = { host: 'evil.example', origin: 'https://evil.example' };
    expect(refusal({ headers: evil }, PROXIED)).toContain('Unrecognized Host header');
  });
});

test('a daemon for others answers under any name, and to no other site', () => {
  const host = 'build-7.example:3030';
  expect(refusal({ headers: { host } }, OPEN)).toBeUndefined();
  expect(refusal({ headers: { host, origin: `https://${host}` } }, OPEN)).toBeUndefined();
  expect(refusal({ headers: { host, origin: 'https://evil.example' } }, OPEN)).toBe(OTHER_SITE);
});
