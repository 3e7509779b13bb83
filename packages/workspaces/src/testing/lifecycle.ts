import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { createCheckpoint } from '../snapshot/checkpoints.ts';
import { restore } from '../snapshot/restore.ts';
import { reconcile } from '../worktree/reconcile.ts';
import { removeWorktree, restoreWorktree } from '../worktree/remove-worktree.ts';
import { crashAt } from './crash.ts';
import { TestWorld } from './world.ts';

/** One action of a user, an agent or fate; `at` chooses the workspace. */
type LifecycleStep = { act: (typeof ACTS)[number]; at: number; text: string; ms: number };

const ACTS = [
  'create',
  'edit',
  'edit',
  'stage',
  'commit',
  'undo',
  'remove',
  'restore',
  'crash create',
  'crash remove',
  'crash restore',
] as const;
const STEPS = {
  create: ['recorded', 'registered', 'populated', 'ready'],
  remove: ['kept', 'recorded', 'deleted', 'removed'],
  restore: ['recorded', 'registered', 'populated', 'restored'],
} as const;

export const lifecycleSteps = fc.array(
  fc.record({
    act: fc.constantFrom(...ACTS),
    at: fc.nat({ max: 7 }),
    text: fc.string({ minLength: 1, maxLength: 12 }),
    ms: fc.nat({ max: 250 }),
  }),
  { minLength: 4, maxLength: 10 },
);

/** Work that a workspace must have, wherever it is kept. */
type Expected = {
  id: string;
  path: string;
  branch: string;
  head: string;
  files: Map<string, string>;
};

const BASE = { 'a.txt': 'a\n', 'dir/b.txt': 'b\n' };

/** Runs the steps in a new repository, and fails if any work is lost or anything stays behind. */
export async function checkLifecycle(steps: readonly LifecycleStep[]): Promise<void> {
  const user = new TestWorld();
  user.commit({ ...BASE, '.gitignore': 'ignored\n' });
  user.write({ 'a.txt': 'stashed\n' });
  user.run('stash', '-q');
  user.write({ 'staged.txt': 's\n' });
  user.run('add', 'staged.txt');
  user.write({ 'a.txt': "the user's own edit\n" });
  const before = user.untouched();
  const lifecycle = new Lifecycle(user);
  await lifecycle.create();
  for (const step of steps) await lifecycle.run(step);
  await lifecycle.finish();
  expect(user.untouched()).toEqual(before);
  expect(readFileSync(join(user.root, 'a.txt'), 'utf8')).toBe("the user's own edit\n");
}

class Lifecycle {
  #user: TestWorld;
  #all: Expected[] = [];

  constructor(user: TestWorld) {
    this.#user = user;
  }

  async run({ act, at, text, ms }: LifecycleStep): Promise<void> {
    const isRemoved = ({ id }: Expected) => this.#user.files.get(id).state === 'removed';
    const wanted = act.endsWith('restore')
      ? this.#all.filter(isRemoved)
      : this.#all.filter((each) => !isRemoved(each));
    const one = wanted[at % Math.max(1, wanted.length)];
    const { git, files } = this.#user;
    if (act === 'create') return this.create();
    if (act === 'crash create') return this.#crash('create', undefined, at, ms);
    if (!one) return;
    if (act === 'edit') return this.#edit(one, at, text);
    if (act === 'stage') return this.#stage(one, text);
    if (act === 'commit') return this.#commit(one);
    if (act === 'undo') return this.#undo(one, text);
    if (act === 'crash remove') return this.#crash('remove', one, at, ms);
    if (act === 'crash restore') return this.#crash('restore', one, at, ms);
    if (act === 'remove') {
      await removeWorktree({ git, files, id: one.id, force: true, deleteBranch: at % 2 === 0 });
      expect(existsSync(one.path)).toBe(false);
    }
    if (act === 'restore') {
      await restoreWorktree({ git, files, id: one.id });
      this.#check(one);
    }
  }

  async create(): Promise<void> {
    const { record } = await this.#user.create({ name: 'work' });
    this.#expect(record.workspace_id);
  }

  /** Brings everything back and compares it with the work that was done. */
  async finish(): Promise<void> {
    const user = this.#user;
    const { git, files } = user;
    expect(await reconcile(user)).toEqual([]);
    for (const { id } of this.#all) {
      if (files.get(id).state === 'removed') await restoreWorktree({ git, files, id });
    }
    for (const each of this.#all) this.#check(each);
    expect(files.list()).toHaveLength(this.#all.length);
    const branches = user
      .run('for-each-ref', '--format=%(refname:short)', 'refs/heads')
      .split('\n');
    expect(branches.sort()).toEqual(['main', ...this.#all.map(({ branch }) => branch)].sort());
    const metadata = join(user.root, '.git/worktrees');
    expect(existsSync(metadata) ? readdirSync(metadata) : []).toHaveLength(this.#all.length);
    expect(user.problems()).toEqual([]);
    for (const name of readdirSync(join(user.state, 'repositories'))) {
      expect(user.problems(join(user.state, 'repositories', name))).toEqual([]);
    }
  }

  #expect(id: string): void {
    const { path, branch, base_commit } = this.#user.files.get(id);
    const files = new Map(Object.entries(BASE));
    this.#all.push({ id, path, branch: branch ?? '', head: base_commit ?? '', files });
  }

  #edit(one: Expected, at: number, text: string): void {
    const name = ['a.txt', 'dir/b.txt', 'new file.txt', 'dir/deep/new.txt'][at % 4] ?? '';
    this.#user.write({ [name]: text }, one.path);
    one.files.set(name, text);
  }

  /** Stages one version and writes another. */
  #stage(one: Expected, text: string): void {
    this.#user.write({ 'both.txt': `${text} staged` }, one.path);
    this.#user.runIn(one.path, 'add', 'both.txt');
    this.#edit(one, 0, text);
    this.#user.write({ 'both.txt': text }, one.path);
    one.files.set('both.txt', text);
    one.files.set(':both.txt', `${text} staged`);
  }

  #commit(one: Expected): void {
    this.#user.runIn(one.path, 'add', '-A');
    this.#user.runIn(one.path, 'commit', '-q', '--allow-empty', '-m', 'work');
    one.head = this.#user.runIn(one.path, 'rev-parse', 'HEAD');
    one.files.delete(':both.txt');
  }

  async #undo(one: Expected, text: string): Promise<void> {
    const repository = await this.#user.private(one.path);
    const { tree } = await createCheckpoint(repository, { kind: 'before' });
    this.#user.write({ 'a.txt': `${text}!`, 'undone.txt': text }, one.path);
    await restore(repository, { tree });
  }

  async #crash(
    operation: 'create' | 'remove' | 'restore',
    one: Expected | undefined,
    at: number,
    ms: number,
  ): Promise<void> {
    const user = this.#user;
    const when = at < 4 ? { step: STEPS[operation][at] } : { afterMs: ms };
    await crashAt(user, { operation, id: one?.id, name: 'work', ...when });
    await reconcile(user);
    const known = new Set(this.#all.map(({ id }) => id));
    for (const { workspace_id: id, state } of user.files.list()) {
      expect(['ready', 'idle', 'removed']).toContain(state);
      if (!known.has(id)) this.#expect(id);
    }
    if (one && user.files.get(one.id).state !== 'removed') this.#check(one);
  }

  #check({ path, branch, head, files }: Expected): void {
    const user = this.#user;
    expect(user.runIn(path, 'rev-parse', 'HEAD', branch).split('\n')).toEqual([head, head]);
    const names = readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== '.git' && entry.name !== '.gitignore')
      .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));
    const found = names.map((name) => [name, readFileSync(join(path, name), 'utf8')] as const);
    const staged = files.get(':both.txt');
    const expected = [...files].filter(([name]) => !name.startsWith(':'));
    expect(new Map(found.sort())).toEqual(new Map(expected.sort()));
    if (staged !== undefined) expect(user.runIn(path, 'show', ':both.txt')).toBe(staged.trimEnd());
  }
}
