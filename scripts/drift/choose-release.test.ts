import { expect, test } from 'vitest';
import { chooseRelease } from './choose-release.ts';
import { IncompleteRelease } from './releases.ts';

const pinned = { version: '1.0.0', modules: '/pinned' };
const registry = {
  published: async (_: string, version = '2.0.0') => ({ version }),
  installRelease: async (name: string, version: string) => `/${name}-${version}`,
};
const incomplete = {
  ...registry,
  installRelease: async () => {
    throw new IncompleteRelease('No matching version found for part@2.0.0.');
  },
};

test('installs the newest release', async () => {
  const chosen = await chooseRelease({ package: 'agent', named: undefined, pinned }, registry);
  expect(chosen).toEqual({ version: '2.0.0', modules: '/agent-2.0.0' });
});

test('installs the release that the user named', async () => {
  const chosen = await chooseRelease({ package: 'agent', named: '1.5.0', pinned }, registry);
  expect(chosen).toEqual({ version: '1.5.0', modules: '/agent-1.5.0' });
});

test('does not install the pinned release again', async () => {
  const chosen = await chooseRelease({ package: 'agent', named: '1.0.0', pinned }, incomplete);
  expect(chosen).toEqual({ version: '1.0.0', modules: '/pinned' });
});

test('takes the pinned release if the registry lacks a part of the newest one', async () => {
  const chosen = await chooseRelease({ package: 'agent', named: undefined, pinned }, incomplete);
  expect(chosen).toEqual({
    ...pinned,
    incomplete: { version: '2.0.0', reason: 'No matching version found for part@2.0.0.' },
  });
});

test('fails if the registry lacks a part of the release that the user named', async () => {
  const chosen = chooseRelease({ package: 'agent', named: '1.5.0', pinned }, incomplete);
  await expect(chosen).rejects.toThrow('part@2.0.0');
});

test('fails if npm fails for another reason', async () => {
  const offline = {
    ...registry,
    installRelease: async () => {
      throw new Error('ENOTFOUND');
    },
  };
  const chosen = chooseRelease({ package: 'agent', named: undefined, pinned }, offline);
  await expect(chosen).rejects.toThrow('ENOTFOUND');
});
