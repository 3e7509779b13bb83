import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError, MERGE_METHODS } from '@baton/protocol/values';
import fc from 'fast-check';
import { expect } from 'vitest';
import { commitChanges } from '../finish/commit-changes.ts';
import { finishPlace } from '../finish/finish-place.ts';
import { mergeBranch } from '../finish/merge-branch.ts';
import { planMerge } from '../finish/plan-merge.ts';
import { processesEnded, reconcile } from '../worktree/reconcile.ts';
import { crashAt } from './crash.ts';
import { TestWorld } from './world.ts';

/** One action of a person, an agent or fate; `at` chooses the worktree and the way. */
type FinishStep = { act: (typeof ACTS)[number]; at: number; ms: number };

const ACTS = [
  'edit',
  'edit',
  'edit shared',
  'edit target',
  'switch target',
  'commit',
  'commit',
  'merge',
  'merge',
  'crash commit',
  'crash merge',
  'crash merge',
] as const;

const STEPS = {
  commit: ['marked', 'committed'],
  merge: ['made', 'recorded', 'moved', 'merged'],
} as const;

export const finishSteps = fc.array(
  fc.record({
    act: fc.constantFrom(...ACTS),
    at: fc.nat({ max: 23 }),
    ms: fc.nat({ max: 300 }),
  }),
  { minLength: 6, maxLength: 14 },
);

type Tree = { id: string; path: string; branch: string; files: Map<string, string> };

/** Branches and folders before or after an operation on one worktree. */
type Tips = { main: string; branch: string; isOnMain: boolean; others: string[][] };

/** Runs the steps in a new repository with hooks, and fails if work is lost or done twice. */
export async function checkFinishing(steps: readonly FinishStep[]): Promise<void> {
  const user = new TestWorld();
  user.run('config', 'user.name', 'Ada');
  user.run('config', 'user.email', 'ada@localhost');
  user.commit({ 'shared.txt': 'shared\n' });
  const hook = join(user.root, '.git/hooks/pre-commit');
  user.write({ '.git/hooks/pre-commit': '#!/bin/sh\ntest ! -f refused.txt\n' });
  chmodSync(hook, 0o755);
  const finishing = new Finishing(user);
  for (const name of ['one', 'two']) await finishing.create(name);
  for (const step of steps) await finishing.run(step);
  expect(await reconcile(user)).toEqual([]);
}

class Finishing {
  #user: TestWorld;
  #all: Tree[] = [];
  #count = 0;

  constructor(user: TestWorld) {
    this.#user = user;
  }

  async create(name: string): Promise<void> {
    const { record } = await this.#user.create({ name });
    const { workspace_id: id, path, branch } = record;
    this.#all.push({ id, path, branch: branch ?? '', files: new Map() });
  }

  async run({ act, at, ms }: FinishStep): Promise<void> {
    const user = this.#user;
    const tree = this.#all[at % this.#all.length];
    if (!tree) return;
    const method = MERGE_METHODS[at % MERGE_METHODS.length] ?? 'squash';
    this.#count += 1;
    if (act === 'edit') return this.#edit(tree, `new-${this.#count}.txt`);
    if (act === 'edit shared') return this.#edit(tree, 'shared.txt');
    if (act === 'switch target') {
      const isThere = user.run('branch', '--show-current') === 'main';
      user.run('switch', '-q', ...(isThere ? ['-C', 'elsewhere'] : ['main']));
      return;
    }
    if (act === 'edit target') {
      if (user.run('branch', '--show-current') !== 'main') return;
      user.commit({ [`target-${this.#count}.txt`]: `${this.#count}\n` });
      return;
    }
    const before = this.#state(tree);
    if (act === 'commit') await refusable(this.#commit(tree));
    if (act === 'merge') await refusable(this.#merge(tree, method));
    if (act === 'crash commit' || act === 'crash merge') {
      const operation = act === 'crash commit' ? 'commit' : 'merge';
      const step = STEPS[operation][(at >> 1) % 6];
      const when = step ? { step } : { afterMs: ms };
      await refusable(crashAt(user, { operation, id: tree.id, method, ...when }));
      for (const path of [tree.path, user.root]) await processesEnded(path);
      await reconcile(user);
    }
    this.#check(tree, before, act.endsWith('merge'));
  }

  #edit(tree: Tree, name: string): void {
    const content = `${this.#count} in ${tree.branch}\n`;
    this.#user.write({ [name]: content }, tree.path);
    tree.files.set(name, content);
  }

  async #commit({ path }: Tree): Promise<void> {
    const { home } = this.#user;
    const place = await finishPlace(home, path);
    await commitChanges(home, place, { message: `work ${this.#count}` });
  }

  async #merge({ path }: Tree, method: (typeof MERGE_METHODS)[number]): Promise<void> {
    const { home } = this.#user;
    const place = await finishPlace(home, path);
    const plan = await planMerge(home, place, { method, target: 'main' });
    await mergeBranch(home, place, plan, { message: `merge ${this.#count}` });
  }

  #state(tree: Tree): Tips {
    const user = this.#user;
    const others = this.#all.filter((each) => each !== tree);
    return {
      main: user.run('rev-parse', 'main'),
      branch: user.run('rev-parse', tree.branch),
      isOnMain: user.run('branch', '--show-current') === 'main',
      others: others.map(({ path }) => [
        user.runIn(path, 'rev-parse', 'HEAD'),
        user.runIn(path, 'status', '--porcelain'),
      ]),
    };
  }

  #check(tree: Tree, before: Tips, isMerge: boolean): void {
    const user = this.#user;
    const after = this.#state(tree);
    expect(after.others).toEqual(before.others);
    expect(after.isOnMain).toBe(before.isOnMain);
    // Branches only grow: main by a merge, that of the worktree by a commit.
    if (!isMerge) expect(after.main).toBe(before.main);
    if (isMerge) expect(after.branch).toBe(before.branch);
    for (const name of ['main', 'branch'] as const) {
      user.run('merge-base', '--is-ancestor', before[name], after[name]);
    }
    // The folder of the person has no half of a merge.
    expect(user.run('status', '--porcelain')).toBe('');
    for (const { path, files } of this.#all) {
      for (const [name, content] of files) {
        expect(readFileSync(join(path, name), 'utf8')).toBe(content);
      }
    }
    const flags = ['--first-parent', '-m', '--diff-filter=A', '--name-only', '--format='];
    const added = user.run('log', 'main', ...flags);
    const names = added.split('\n').filter((name) => name !== '');
    expect(names.sort()).toEqual([...new Set(names)].sort());
    expect(user.problems()).toEqual([]);
  }
}

/** Waits for an operation that may be refused, such as a merge with conflicts. */
async function refusable(operation: Promise<unknown>): Promise<void> {
  try {
    await operation;
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const isRefusal = BatonError.is(error) ? error.code === 'conflict' : REFUSED.test(words);
    if (!isRefusal) throw error;
  }
}

/** A program that was refused prints its error, with the code. */
const REFUSED = /code: 'conflict'/;
