import { expect, test } from 'vitest';
import { LoginLimits } from './login-limits.ts';

const limits = () => {
  let now = 0;
  const made = new LoginLimits(() => now);
  return {
    /** True if a client may try a password now. */
    try(address: string, account = 'owner'): boolean {
      try {
        made.countPassword(address, account);
        return true;
      } catch {
        return false;
      }
    },
    loggedIn: (address: string) => made.loggedIn(address, 'owner'),
    wait: (ms: number) => {
      now += ms;
    },
  };
};

const times = <Result>(count: number, act: (n: number) => Result): Result[] =>
  Array.from({ length: count }, (_, n) => act(n));

test('a client has ten attempts for an account in a minute', () => {
  const tries = limits();
  expect(times(11, () => tries.try('1.1.1.1'))).toEqual([...Array(10).fill(true), false]);
  tries.wait(61_000);
  expect(tries.try('1.1.1.1')).toBe(true);
});

test('a client has sixty attempts for all accounts in a minute', () => {
  const tries = limits();
  const allowed = times(70, (n) => tries.try('1.1.1.1', `user ${n}`)).filter(Boolean);
  expect(allowed).toHaveLength(60);
});

test('mistakes are forgotten once the password was right', () => {
  const tries = limits();
  times(9, () => tries.try('1.1.1.1'));
  tries.loggedIn('1.1.1.1');
  expect(times(10, () => tries.try('1.1.1.1'))).toEqual(Array(10).fill(true));
});

test('an account under attack from many clients leaves each of them fewer attempts', () => {
  const tries = limits();
  times(101, (n) => tries.try(`10.0.0.${n}`));
  expect(times(4, () => tries.try('1.1.1.1'))).toEqual([true, true, true, false]);
  expect(times(4, () => tries.try('1.1.1.1', 'member'))).toEqual(Array(4).fill(true));
});

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
  ['2001:db8::1', '2001:db8:0:0:5::', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['::1', '::2', true],
])('%s and %s are the same client: %s', (one, other, isSame) => {
  const tries = limits();
  times(10, () => tries.try(one));
  expect(tries.try(other)).toBe(!isSame);
});
