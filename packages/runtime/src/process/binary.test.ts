import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BatonError } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { type BinarySearch, findBinary } from './binary.ts';
import { temporaryFolder, writeProgram } from './testing.ts';

/** A name that no machine has in /usr/local/bin or /opt/homebrew/bin. */
const NAME = 'baton-test-agent';

describe('without being told', () => {
  test('looks in the project, then at home, then on PATH', () => {
    const place = makePlace();
    const onPath = place.add('path/second');
    expect(place.find()).toEqual({ path: onPath, via: 'PATH' });
    const earlierOnPath = place.add('path/first');
    expect(place.find()).toEqual({ path: earlierOnPath, via: 'PATH' });
    const atHome = place.add('home/.local/bin');
    expect(place.find()).toEqual({ path: atHome, via: '~/.local/bin' });
    const inProject = place.add('cwd/node_modules/.bin');
    expect(place.find()).toEqual({ path: inProject, via: './node_modules/.bin' });
  });

  test('says where it looked in a few words, in the order of looking', () => {
    const place = makePlace();
    const error = failure(() => place.find({ envVar: 'AGENT_BIN' }));
    expect(error.code).toBe('backend_not_found');
    expect(error.hint).toContain('AGENT_BIN');
    expect(error.message).toBe(
      `${NAME} was not found in ./node_modules/.bin, ~/.local/bin, /usr/local/bin, /opt/homebrew/bin or PATH.`,
    );
  });

  test('passes over what cannot be executed', () => {
    const place = makePlace();
    mkdirSync(join(place.root, 'cwd/node_modules/.bin', NAME), { recursive: true });
    chmodSync(place.add('home/.local/bin'), 0o644);
    const usable = place.add('path/first');
    expect(place.find().path).toBe(usable);
  });

  test('names what cannot be executed when there is nothing else', () => {
    const place = makePlace();
    const plain = place.add('home/.local/bin');
    chmodSync(plain, 0o644);
    const error = failure(() => place.find());
    expect(error.code).toBe('backend_not_executable');
    expect(error.message).toContain(plain);
  });

  test('ignores an empty variable and empty parts of PATH', () => {
    const place = makePlace();
    place.add('cwd');
    const env = { AGENT_BIN: '', PATH: ':' };
    expect(failure(() => place.find({ envVar: 'AGENT_BIN' }, env)).code).toBe('backend_not_found');
  });
});

describe('the variable', () => {
  test('wins over every place', () => {
    const place = makePlace();
    place.add('cwd/node_modules/.bin');
    const told = place.add('elsewhere');
    const found = place.find({ envVar: 'AGENT_BIN' }, { AGENT_BIN: told });
    expect(found).toEqual({ path: told, via: 'AGENT_BIN' });
  });

  test.each([
    ['a missing file', 'elsewhere/nothing', 'backend_not_found'],
    ['a directory', 'cwd', 'backend_not_executable'],
  ])('is blamed for %s, and nothing else is tried', (_, path, code) => {
    const place = makePlace();
    place.add('cwd/node_modules/.bin');
    const told = join(place.root, path);
    const error = failure(() => place.find({ envVar: 'AGENT_BIN' }, { AGENT_BIN: told }));
    expect(error.code).toBe(code);
    expect(error.message).toContain('AGENT_BIN');
    expect(error.message).toContain(told);
  });
});

describe('an explicit binary', () => {
  test('wins over the variable; a bare name is looked for on PATH', () => {
    const place = makePlace();
    const onPath = place.add('path/second', 'other');
    const env = { ...place.env, AGENT_BIN: '/nothing' };
    const found = place.find({ envVar: 'AGENT_BIN', explicit: 'other' }, env);
    expect(found).toEqual({ path: onPath, via: 'option' });
  });

  test('is relative to the working directory or to the home directory', () => {
    const place = makePlace();
    const inProject = place.add('cwd/tools');
    const atHome = place.add('home/tools');
    expect(place.find({ explicit: `./tools/${NAME}` }).path).toBe(inProject);
    expect(place.find({ explicit: `~/tools/${NAME}` }).path).toBe(atHome);
  });

  test('that is not on PATH is an error, although the usual places have it', () => {
    const place = makePlace();
    place.add('home/.local/bin');
    const error = failure(() => place.find({ explicit: NAME }));
    expect(error).toMatchObject({
      code: 'backend_not_found',
      message: expect.stringContaining('PATH'),
    });
  });
});

test('the native binary behind a launcher takes its place', () => {
  const place = makePlace();
  const script = place.add('package', 'launcher.js');
  const link = join(place.root, 'path/first', NAME);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(script, link);
  const asked: string[] = [];
  const nativeOf = (launcher: string) => {
    asked.push(launcher);
    return '/native';
  };
  expect(place.find({ nativeOf })).toEqual({ path: '/native', via: 'PATH', launcher: link });
  expect(asked).toEqual([script]);
  expect(place.find({ nativeOf: () => undefined })).toEqual({ path: link, via: 'PATH' });
});

function makePlace() {
  const root = temporaryFolder();
  const cwd = join(root, 'cwd');
  mkdirSync(cwd);
  const PATH = `${join(root, 'path/first')}:${join(root, 'path/second')}`;
  const context = { cwd, home: join(root, 'home') };
  return {
    root,
    env: { PATH },
    add(folder: string, name = NAME): string {
      mkdirSync(join(root, folder), { recursive: true });
      return writeProgram(join(root, folder, name), '#!/bin/sh\n');
    },
    find: (search: Partial<BinarySearch> = {}, env: Record<string, string> = { PATH }) =>
      findBinary({ name: NAME, ...search }, { ...context, env }),
  };
}

function failure(act: () => unknown): BatonError {
  try {
    act();
  } catch (error) {
    if (BatonError.is(error)) return error;
    throw error;
  }
  throw new Error('expected it to fail');
}
