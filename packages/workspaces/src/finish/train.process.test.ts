import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { crashAt } from '../testing/crash.ts';
import { TestWorld } from '../testing/world.ts';
import { runTrain, type TrainEntry } from './train.ts';

/** A repository with three worktrees whose agents have worked. */
async function world() {
  const user = new TestWorld();
  user.run('config', 'user.name', 'Ada');
  user.run('config', 'user.email', 'ada@localhost');
  user.commit({ 'a.txt': 'a\n', 'b.txt': 'b\n', check: 'test ! -f broken.txt\n' });
  const make = async (name: string, files: Parameters<TestWorld['write']>[0]) => {
    const { record } = await user.create({ name });
    user.write(files, record.path);
    return record.path;
  };
  const paths = {
    one: await make('one', { 'a.txt': 'one\n' }),
    two: await make('two', { 'a.txt': 'two\n' }),
    three: await make('three', { 'b.txt': 'three\n' }),
  };
  const told: TrainEntry[] = [];
  const train = async (list: readonly string[], more: object = {}) => {
    told.length = 0;
    return runTrain(
      user.home,
      { paths: list, target: 'main', method: 'squash', ...more },
      { onEntry: (entry) => told.push(entry) },
    );
  };
  return { user, paths, train, make, told };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

const states = (entries: readonly TrainEntry[]) => entries.map(({ state }) => state);

test('branches are merged one after another, and a conflict leaves out one of them', async () => {
  const { user, paths, train } = await world();
  const done = await train([paths.one, paths.two, paths.three]);
  expect(states(done)).toEqual(['merged', 'conflict', 'merged']);
  expect(done[1]).toMatchObject({ conflicts: ['a.txt'] });
  expect(user.run('log', '--format=%s', 'main').split('\n').length).toBe(3);
  expect(readFileSync(join(user.root, 'a.txt'), 'utf8')).toBe('one\n');
  expect(readFileSync(join(user.root, 'b.txt'), 'utf8')).toBe('three\n');
  expect(readFileSync(join(paths.two, 'a.txt'), 'utf8')).toBe('two\n');
  expect(user.problems()).toEqual([]);
});

test('a train that is started again merges nothing twice', async () => {
  const { user, paths, train } = await world();
  await train([paths.one]);
  const tip = user.run('rev-parse', 'main');
  const again = await train([paths.one, paths.three]);
  expect(states(again)).toEqual(['merged', 'merged']);
  expect(again[0]?.commit).toBe(tip);
  expect(user.run('log', '--format=%s', 'main').split('\n').length).toBe(3);
});

test('the check runs on each merged result, and a red one is not merged', async () => {
  const { user, paths, train, make, told } = await world();
  const broken = await make('broken', { 'broken.txt': 'x' });
  const check = 'echo checked; cat a.txt b.txt; sh check';
  const done = await train([paths.one, broken, paths.three], { check });
  expect(states(done)).toEqual(['merged', 'red', 'merged']);
  expect(states(told)).toEqual([
    ...['merging', 'checking', 'merged'],
    ...['merging', 'checking', 'red'],
    ...['merging', 'checking', 'merged'],
  ]);
  expect(done[1]).toMatchObject({
    error: { message: 'The check exited with 1.' },
    output: ['checked', 'one', 'b'],
  });
  expect(existsSync(join(user.root, 'broken.txt'))).toBe(false);
  expect(readFileSync(join(user.root, 'b.txt'), 'utf8')).toBe('three\n');
  // The place of the checks is gone, and its branch too.
  expect(user.run('branch', '--list', '*train*')).toBe('');
  expect(user.run('worktree', 'list')).not.toContain('train');
  expect(user.problems()).toEqual([]);
});

test('a target that somebody moves during the check is merged into once more', async () => {
  const { user, paths, train } = await world();
  user.run('switch', '-q', '-c', 'elsewhere');
  const once = join(user.folder, 'once');
  const check = `test -f ${once} && exit 0; touch ${once}; git -C ${user.root} update-ref refs/heads/main $(git -C ${user.root} commit-tree -p main -m mine main^{tree})`;
  const done = await train([paths.one], { check });
  expect(states(done)).toEqual(['merged']);
  expect(user.run('log', '--format=%s', 'main')).toBe('One\nmine\nchange');
});

test('what cannot be merged says why, and the others go on', async () => {
  const { user, paths, train, make } = await world();
  user.write({ 'in-the-way.txt': 'mine' });
  const blocked = await make('blocked', { 'in-the-way.txt': 'theirs' });
  const done = await train([blocked, paths.three]);
  expect(states(done)).toEqual(['failed', 'merged']);
  expect(done[0]?.error?.message).toContain('in-the-way.txt');
});

test.each(['merging', 'checking', 'merged'])(
  'a train that is killed while an entry is %s continues, and leaves nothing behind',
  async (step) => {
    const { user, paths, train } = await world();
    const edits = { [paths.one]: '', [paths.three]: '' };
    await crashAt(user, { operation: 'train', step, edits });
    const done = await train([paths.one, paths.three], { check: 'true' });
    expect(states(done)).toEqual(['merged', 'merged']);
    expect(user.run('log', '--format=%s', 'main')).toBe('Three\nOne\nchange');
    expect(user.run('branch', '--list', '*train*')).toBe('');
    expect(user.run('worktree', 'list')).not.toContain('train');
    expect(user.problems()).toEqual([]);
  },
);

test('the check runs in a worktree that the setup of the project has prepared', async () => {
  const { user, paths, train } = await world();
  const home = join(user.folder, 'home');
  const projects = { [user.root]: { workspace: { setup: 'echo ready > prepared' } } };
  mkdirSync(join(home, '.baton'), { recursive: true });
  writeFileSync(join(home, '.baton/config.json'), JSON.stringify({ projects }));
  vi.stubEnv('HOME', home);
  user.commit({ '.gitignore': 'prepared\n' });
  const done = await train([paths.one, paths.three], { check: 'grep ready prepared' });
  expect(states(done)).toEqual(['merged', 'merged']);
});
