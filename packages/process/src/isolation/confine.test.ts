import { expect, test } from 'vitest';
import { splitEnvironment } from './confine.ts';

test('variables of the loader are separated from the others', () => {
  const env = { PATH: '/bin', LD_PRELOAD: '/tmp/x.so', GCONV_PATH: '/tmp', HOME: '/root' };
  const { outside, inside } = splitEnvironment(env);
  expect(outside).toEqual({ PATH: '/bin', HOME: '/root' });
  expect(inside).toEqual([
    ['LD_PRELOAD', '/tmp/x.so'],
    ['GCONV_PATH', '/tmp'],
  ]);
});

test('a command without an environment of its own gets none', () => {
  expect(splitEnvironment(undefined)).toEqual({ outside: undefined, inside: [] });
});
