import { describe, expect, test } from 'vitest';
import { clientAddressOf } from './client-address.ts';

const request = (remoteAddress: string, forwarded?: string) => ({
  socket: { remoteAddress },
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
});

test('without trusted proxies the address of the connection counts', () => {
  const addressOf = clientAddressOf([]);
  expect(addressOf(request('127.0.0.1', '1.2.3.4'))).toBe('127.0.0.1');
  expect(addressOf(request('::ffff:10.0.0.1'))).toBe('10.0.0.1');
});

describe('behind trusted proxies', () => {
  const addressOf = clientAddressOf(['loopback', '10.0.0.0/8', 'fd00::/8']);

  test.each([
    ['a proxy that says nothing', '127.0.0.1', undefined, '127.0.0.1'],
    ['a proxy of this machine', '127.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['a proxy over IPv6', '::ffff:10.1.1.1', '1.2.3.4', '1.2.3.4'],
    ['two proxies', '127.0.0.1', '1.2.3.4, 10.0.0.2', '1.2.3.4'],
    ['a client that forges the header', '127.0.0.1', '9.9.9.9, 1.2.3.4', '1.2.3.4'],
    ['a client that is no proxy', '1.2.3.4', '9.9.9.9', '1.2.3.4'],
    ['nonsense in the header', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['a client over IPv6', 'fd00::1', '2001:db8::7', '2001:db8::7'],
  ])('%s', (_what, remote, forwarded, expected) => {
    expect(addressOf(request(remote, forwarded))).toBe(expected);
  });
});

test.each(['example.com', '10.0.0.0/33', '10.0.0.0/x', '10.0.0.0/', ''])(
  '%j is not a proxy address',
  (text) => {
    expect(() => clientAddressOf([text])).toThrow(expect.objectContaining({ code: 'usage' }));
  },
);
