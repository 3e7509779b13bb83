import { homedir, userInfo } from 'node:os';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { homeFolder } from './home-folder.ts';

vi.mock('node:os', { spy: true });
beforeEach(() => {
  vi.mocked(userInfo).mockReturnValue({ homedir: '/of/passwd' } as never);
});
afterEach(() => {
  vi.resetAllMocks();
});

const none = () => {
  throw new Error('uv_os_homedir returned ENOENT');
};

test('the home folder is the one that the environment names', () => {
  vi.mocked(homedir).mockReturnValue('/home/somebody');
  expect(homeFolder()).toBe('/home/somebody');
});

test.each(['', 'relative', './here'])('a home of %j is none', (home) => {
  vi.mocked(homedir).mockReturnValue(home);
  expect(homeFolder()).toBe('/of/passwd');
});

test('a user without any home has one in which nothing is found', () => {
  vi.mocked(homedir).mockImplementation(none);
  vi.mocked(userInfo).mockImplementation(none);
  expect(homeFolder()).toBe('/dev/null');
});
