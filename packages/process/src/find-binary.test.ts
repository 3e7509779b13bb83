import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { BatonError } from '@baton/protocol';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type BinarySearch, findBinary, pathOutside } from './find-binary.ts';
import { temporaryFolder, writeProgram } from './testing.ts';

/** A name that no machine has in /usr/local/bin or /opt/homebrew/bin. */
const NAME = 'baton-test-agent';

describe('without a configured path', () => {
  test('searches the home folder, then PATH', () => {
    const place = makePlace();
    const onPath = place.add('path/second');
    expect(place.find()).toEqual({ path: onPath, via: 'PATH', skipped: [] });
    const earlierOnPath = place.add('path/first');
    expect(place.find()).toEqual({ path: earlierOnPath, via: 'PATH', skipped: [] });
    const atHome = place.add('home/.local/bin');
    expect(place.find()).toEqual({ path: atHome, via: '~/.local/bin', skipped: [] });
  });

  test('lists the searched places in order', () => {
    const place = makePlace();
    const error = failure(() => place.find({ envVar: 'AGENT_BIN' }));
    expect(error.code).toBe('backend_not_found');
    expect(error.hint).toContain('AGENT_BIN');
    expect(error.message).toBe(
      `${NAME} was not found in ~/.baton/agents, ~/.local/bin, /usr/local/bin, /opt/homebrew/bin or PATH.`,
    );
  });

  test('prefers the agent that Baton installed', () => {
    const place = makePlace();
    place.add('home/.local/bin');
    place.add('path/first');
    const installed = place.add(`home/.baton/agents/${NAME}/node_modules/.bin`);
    expect(place.find()).toEqual({ path: installed, via: '~/.baton/agents', skipped: [] });
  });

  test('passes over what cannot be executed', () => {
    const place = makePlace();
    mkdirSync(join(place.root, 'path/first', NAME), { recursive: true });
    chmodSync(place.add('home/.local/bin'), 0o644);
    const usable = place.add('path/second');
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
    expect(found).toEqual({ path: told, via: 'AGENT_BIN', skipped: [] });
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
    expect(found).toEqual({ path: onPath, via: 'option', skipped: [] });
  });

  test('is relative to where Baton was started, or to the home directory', () => {
    const place = makePlace();
    const atHome = place.add('home/tools');
    const elsewhere = place.add('elsewhere');
    place.add('cwd/tools');
    vi.stubEnv('HOME', join(place.root, 'home'));
    onTestFinished(() => void vi.unstubAllEnvs());
    const otherHome = { ...place.env, HOME: join(place.root, 'cwd') };
    expect(place.find({ explicit: `~/tools/${NAME}` }, otherHome).path).toBe(atHome);
    expect(place.find({ explicit: relative(process.cwd(), elsewhere) }).path).toBe(elsewhere);
    expect(failure(() => place.find({ explicit: `./tools/${NAME}` })).code).toBe(
      'backend_not_found',
    );
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

describe('a program that comes with the workspace is skipped', () => {
  test.each([
    ['in its node_modules', 'cwd/node_modules/.bin'],
    ['anywhere in it', 'cwd/tools/bin'],
    ['in the node_modules of a folder above', 'node_modules/.bin'],
  ])('%s, although it is first on PATH', (_, folder) => {
    const place = makePlace();
    const planted = place.add(folder);
    const real = place.add('path/second');
    const PATH = `${dirname(planted)}:${place.env.PATH}`;
    expect(place.find({}, { PATH })).toEqual({ path: real, via: 'PATH', skipped: [planted] });
    expect(place.find({ explicit: NAME }, { PATH }).path).toBe(real);
  });

  test('in the git repository around it', () => {
    const place = makePlace();
    const planted = place.add('bin');
    const PATH = dirname(planted);
    expect(place.find({}, { PATH }).path).toBe(planted);
    // Sandboxes leave an empty one behind.
    mkdirSync(join(place.root, '.git'));
    expect(place.find({}, { PATH }).path).toBe(planted);
    repositoryAt(place.root);
    const { message } = failure(() => place.find({}, { PATH }));
    expect(message).toContain(
      `Skipped ${planted}: programs in the workspace or repository ${place.root} are`,
    );
  });

  test('in the worktree or submodule around it, where .git is a file', () => {
    const place = makePlace();
    const planted = place.add('bin');
    writeFileSync(join(place.root, '.git'), 'gitdir: /elsewhere');
    expect(failure(() => place.find({}, { PATH: dirname(planted) })).message).toContain(planted);
  });

  test('behind a link, in either direction', () => {
    const place = makePlace();
    const planted = place.add('cwd/hidden');
    const outside = place.add('elsewhere');
    mkdirSync(join(place.root, 'path/first'), { recursive: true });
    symlinkSync(planted, join(place.root, 'path/first', NAME));
    mkdirSync(join(place.root, 'cwd/bin'));
    symlinkSync(outside, join(place.root, 'cwd/bin', NAME));
    const PATH = `${join(place.root, 'path/first')}:${join(place.root, 'cwd/bin')}`;
    expect(failure(() => place.find({}, { PATH })).code).toBe('backend_not_found');
  });

  describe('in the home folder, when that is the workspace', () => {
    const inHome = (place: ReturnType<typeof makePlace>, env: Record<string, string> = {}) => {
      const home = join(place.root, 'home');
      return findBinary({ name: NAME }, { cwd: home, home, env });
    };

    test.each(['home/bin', 'home/project/.local/bin', 'home/.local/share/bin'])('%s', (folder) => {
      const place = makePlace();
      const planted = place.add(folder);
      const error = failure(() => inHome(place, { PATH: dirname(planted) }));
      expect(error.message).toContain(planted);
    });

    test.each(['home/.local/bin', `home/.baton/agents/${NAME}/node_modules/.bin`])(
      'but not in %s, where the user installs programs',
      (folder) => {
        const place = makePlace();
        const installed = place.add(folder);
        expect(inHome(place)).toMatchObject({ path: installed, skipped: [] });
        // It is a link to what an installer keeps beside it.
        const kept = place.add('home/.local/share/agent/1.0');
        rmSync(installed);
        symlinkSync(kept, installed);
        expect(inHome(place)).toMatchObject({ path: installed, skipped: [] });
      },
    );

    test('also in .local/bin, if it is a link to something else there', () => {
      const place = makePlace();
      const planted = place.add('home/project/bin');
      mkdirSync(join(place.root, 'home/.local/bin'), { recursive: true });
      symlinkSync(planted, join(place.root, 'home/.local/bin', NAME));
      expect(failure(() => inHome(place)).code).toBe('backend_not_found');
    });

    test('also in .local/bin, if that or a folder in it is the workspace', () => {
      const place = makePlace();
      place.add('home/.local/bin');
      const home = join(place.root, 'home');
      for (const cwd of [join(home, '.local'), join(home, '.local/bin')]) {
        const search = () => findBinary({ name: NAME }, { cwd, home, env: {} });
        expect(failure(search).code).toBe('backend_not_found');
      }
    });
  });

  test('but not because the home folder is a repository', () => {
    const place = makePlace();
    const installed = place.add('home/.local/bin');
    const home = join(place.root, 'home');
    repositoryAt(home);
    mkdirSync(join(home, 'notes'));
    const context = { cwd: join(home, 'notes'), home, env: {} };
    expect(findBinary({ name: NAME }, context)).toMatchObject({ path: installed, skipped: [] });
  });

  test('and the error says how to use it anyway', () => {
    const place = makePlace();
    const planted = place.add('cwd/bin');
    const error = failure(() => place.find({ envVar: 'AGENT_BIN' }, { PATH: dirname(planted) }));
    expect(error.hint).toContain(`set AGENT_BIN=${planted}`);
  });

  test('in a workspace of another agent', () => {
    const place = makePlace();
    const planted = place.add('other/bin');
    const env = { PATH: dirname(planted) };
    const context = { cwd: join(place.root, 'cwd'), home: '/nowhere', env };
    expect(findBinary({ name: NAME }, context).path).toBe(planted);
    const workspaces = [join(place.root, 'other')];
    expect(failure(() => findBinary({ name: NAME }, { ...context, workspaces })).code).toBe(
      'backend_not_found',
    );
  });

  test('in a repository around that repository, and behind a link to the workspace', () => {
    const place = makePlace();
    const planted = place.add('bin');
    repositoryAt(place.root);
    repositoryAt(join(place.root, 'cwd'));
    const PATH = dirname(planted);
    expect(failure(() => place.find({}, { PATH })).code).toBe('backend_not_found');
    const link = join(temporaryFolder(), 'link');
    symlinkSync(join(place.root, 'cwd'), link);
    const context = { cwd: link, home: '/nowhere', env: { PATH } };
    expect(failure(() => findBinary({ name: NAME }, context)).code).toBe('backend_not_found');
    expect(pathOutside({ ...context, env: { PATH: `bin:${PATH}:/usr/bin` } })).toBe('/usr/bin');
  });

  test('on a relative part of PATH', () => {
    const place = makePlace();
    const planted = place.add('cwd/bin');
    const PATH = `bin:./bin:${relative(process.cwd(), join(place.root, 'cwd/bin'))}`;
    expect(failure(() => place.find({}, { PATH })).message).toContain(`Skipped ${planted}`);
  });

  test('but not when the workspace is the root of the machine', () => {
    const place = makePlace();
    const onPath = place.add('path/first');
    const context = { cwd: '/', home: join(place.root, 'home'), env: place.env };
    expect(findBinary({ name: NAME }, context).path).toBe(onPath);
  });
});

test('a local folder of the caller is first, unless it is none for this workspace', () => {
  const place = makePlace();
  const local = place.add('runner/node_modules/.bin');
  const onPath = place.add('path/first');
  const localFolder = () => join(place.root, 'runner');
  expect(place.find({ localFolder })).toMatchObject({ path: local, via: './node_modules/.bin' });
  expect(place.find({ localFolder: () => undefined }).path).toBe(onPath);
});

test('the native binary behind a launcher is used instead', () => {
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
  const native = { path: '/native', via: 'PATH', launcher: link, skipped: [] };
  expect(place.find({ nativeOf })).toEqual(native);
  expect(asked).toEqual([script]);
  const itself = { path: link, via: 'PATH', skipped: [] };
  expect(place.find({ nativeOf: () => undefined })).toEqual(itself);
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

function repositoryAt(folder: string): void {
  mkdirSync(join(folder, '.git'), { recursive: true });
  writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/main');
}
