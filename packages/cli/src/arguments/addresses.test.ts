import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { addressesForOthers } from './addresses.ts';

const card = (address: string, internal = false) =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo;

const CARDS = {
  lo: [card('127.0.0.1', true), card('::1', true)],
  eth0: [card('192.0.2.7'), card('2001:db8::7'), card('fe80::1')],
};

test.each([
  ['0.0.0.0', 'http://127.0.0.1:3030', ['http://192.0.2.7:3030']],
  ['::', 'https://127.0.0.1:3030', ['https://192.0.2.7:3030', 'https://[2001:db8::7]:3030']],
  ['192.0.2.7', 'http://192.0.2.7:3030', ['http://192.0.2.7:3030']],
])('a daemon on %s is reachable from other machines', (host, url, expected) => {
  expect(addressesForOthers(host, url, CARDS)).toEqual(expected);
});

test('without a network there is no external address', () => {
  expect(addressesForOthers('0.0.0.0', 'http://127.0.0.1:1', { lo: CARDS.lo })).toEqual([]);
});
