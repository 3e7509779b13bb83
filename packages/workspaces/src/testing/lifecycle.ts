import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { forkWorktree } from '../operations/fork-worktree.ts';
import { createCheckpoint, listCheckpoints } from '../snapshot/checkpoints.ts';
import { restore } from '../snapshot/restore.ts';
import { Turn } from '../turn/turn.ts';
import { undoTurn } from '../turn/undo-turn.ts';
import { adoptWorktree } from '../worktree/adopt-worktree.ts';
import { processesEnded, reconcile } from '../worktree/reconcile.ts';
import { removeWorktree, restoreWorktree } from '../worktree/remove-worktree.ts';
import { publicRecord } from '../worktree/workspace-files.ts';
import { cleanPlan } from '../worktree/workspace-status.ts';
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
  'turn',
  'turn and undo',
  'fork',
  'clean',
  'adopt',
  'turn in place',
  'crash checkpoint',
  'crash turn begin',
  'crash turn end',
  'crash undo',
  'crash undo',
  'crash reconcile',
] as const;
const STEPS = {
  create: ['recorded', 'registered', 'populated', 'ready'],
  remove: ['kept', 'recorded', 'deleted', 'removed'],
  restore: ['recorded', 'registered', 'populated', 'restored'],
} as const;

export const lifecycleSteps = fc.array(
  fc.record({
    act: fc.constantFrom(...ACTS),
    at: fc.nat({ max: 23 }),
    text: fc.string({ minLength: 1, maxLength: 12 }),
    ms: fc.nat({ max: 250 }),
  }),
  { minLength: 4, maxLength: 12 },
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
  #count = 0;

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
    if (act === 'turn') return void (await this.#turn(one, at, text));
    if (act === 'turn and undo') return this.#turnAndUndo(one, at, text);
    if (act === 'fork') return this.#fork(one, text);
    if (act === 'clean') return this.#clean();
    if (act === 'adopt') return this.#adopt();
    if (act === 'turn in place') return this.#turnInPlace(text);
    if (act === 'crash checkpoint') return this.#crashCheckpoint(one, at);
    if (act === 'crash turn begin') return this.#crashTurn('turn begin', one, at, text);
    if (act === 'crash turn end') return this.#crashTurn('turn end', one, at, text);
    if (act === 'crash undo') return this.#crashUndo(one, at, text);
    if (act === 'crash reconcile') return this.#crashReconcile(one, at);
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
    const refs = user.run('for-each-ref', '--format=%(refname)').split('\n');
    expect(refs.filter((ref) => !/^refs\/(heads\/|stash$)/.test(ref))).toEqual([]);
    expect(branches.sort()).toEqual(['main', ...this.#all.map(({ branch }) => branch)].sort());
    const metadata = join(user.root, '.git/worktrees');
    expect(existsSync(metadata) ? readdirSync(metadata) : []).toHaveLength(this.#all.length);
    expect(user.problems()).toEqual([]);
    for (const name of readdirSync(join(user.state, 'repositories'))) {
      const own = join(user.state, 'repositories', name);
      expect(user.problems(own)).toEqual([]);
      const kept = user.runIn(own, '--git-dir=.', 'for-each-ref', '--format=%(refname)');
      const strays = kept
        .split('\n')
        .filter((ref) => !/^(refs\/(checkpoints|removed)\/|$)/.test(ref));
      expect(strays).toEqual([]);
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

  /** Begins a turn; its session has no other one. */
  #begin(one: Expected | undefined, session: string): Promise<Turn> {
    const { home, root, files } = this.#user;
    return Turn.begin({
      ...{ home, sessionId: session, taskId: session, onEvent: () => {} },
      cwd: one?.path ?? root,
      workspace: one && publicRecord(files.get(one.id)),
    });
  }

  #session(): string {
    this.#count += 1;
    return `session-${this.#count}`;
  }

  /** Files that an agent writes in a turn. */
  #edits(at: number, text: string): Record<string, string> {
    const name = ['a.txt', 'both.txt', 'agent.txt'][at % 3] ?? '';
    return { [name]: `${text} ${this.#count}`, 'turn.txt': text };
  }

  async #turn(one: Expected, at: number, text: string): Promise<string> {
    const session = this.#session();
    const turn = await this.#begin(one, session);
    this.#agentEdits(one, this.#edits(at, text));
    await turn.end();
    return session;
  }

  #agentEdits(one: Expected, edits: Record<string, string>): void {
    this.#user.write(edits, one.path);
    for (const [name, content] of Object.entries(edits)) one.files.set(name, content);
  }

  async #turnAndUndo(one: Expected, at: number, text: string): Promise<void> {
    const before = new Map(one.files);
    const sessionId = await this.#turn(one, at, text);
    await undoTurn(await this.#user.private(one.path), { sessionId });
    one.files = before;
    this.#check(one);
  }

  async #fork(one: Expected, text: string): Promise<void> {
    const { home, files } = this.#user;
    const before = new Map([...one.files].filter(([name]) => !name.startsWith(':')));
    const sessionId = await this.#turn(one, 2, text);
    const record = await forkWorktree(home, {
      ...{ sessionId, taskId: sessionId, needsTurn: true, newSessionId: this.#session() },
      workspace: publicRecord(files.get(one.id)),
      name: 'fork',
      user: { path: '', trusted: [], untrusted: [] },
    });
    const { workspace_id: id, path, branch } = record;
    const fork = { id, path, branch: branch ?? '', head: one.head, files: before };
    // Nothing is set up here.
    files.change(id, { state: 'idle' });
    this.#all.push(fork);
    this.#check(fork);
    this.#check(one);
  }

  /** Removes what can go without a loss, as the command does. */
  async #clean(): Promise<void> {
    const { git, files } = this.#user;
    const { remove } = await cleanPlan(this.#user);
    for (const { record } of remove) {
      await removeWorktree({ git, files, id: record.workspace_id });
    }
  }

  async #adopt(): Promise<void> {
    const { git, files, folder } = this.#user;
    this.#count += 1;
    const path = join(folder, `adopted-${this.#count}`);
    this.#user.run('worktree', 'add', '-q', '-b', `mine-${this.#count}`, path);
    const record = await adoptWorktree({ git, files, path });
    this.#expect(record.workspace_id);
  }

  async #turnInPlace(text: string): Promise<void> {
    const user = this.#user;
    const sessionId = this.#session();
    const turn = await this.#begin(undefined, sessionId);
    user.write({ 'a.txt': `${text} of the agent`, 'agent.txt': text });
    await turn.end();
    await undoTurn(await user.private(), { sessionId });
    expect(existsSync(join(user.root, 'agent.txt'))).toBe(false);
    expect(readFileSync(join(user.root, 'staged.txt'), 'utf8')).toBe('s\n');
  }

  async #crashCheckpoint(one: Expected, at: number): Promise<void> {
    const session = this.#session();
    await crashAt(this.#user, { operation: 'checkpoint', call: at, cwd: one.path, session });
    await this.#settle(one);
    this.#check(one);
  }

  async #crashTurn(
    operation: 'turn begin' | 'turn end',
    one: Expected,
    at: number,
    text: string,
  ): Promise<void> {
    const session = this.#session();
    const edits = this.#edits(at, text);
    const crash = { operation, id: one.id, cwd: one.path, session, edits, call: at };
    await crashAt(this.#user, crash);
    await this.#settle(one);
    // Whether the agent worked is seen in the last file that it writes.
    const last = join(one.path, 'turn.txt');
    const name = Object.keys(edits)[0] ?? '';
    const isDone = existsSync(last) && read(join(one.path, name)) === edits[name];
    if (isDone) this.#agentEdits(one, edits);
    else expect(operation).toBe('turn begin');
    this.#check(one);
    // The next turn works as if nothing had happened.
    await this.#turnAndUndo(one, at, `${text} again`);
  }

  /** An undo that is killed loses nothing: the files are as before, or in the checkpoint that it made. */
  async #crashUndo(one: Expected, at: number, text: string): Promise<void> {
    const before = new Map(one.files);
    const session = await this.#turn(one, at, text);
    const own = await this.#user.private(one.path);
    const known = (await listCheckpoints(own)).length;
    await crashAt(this.#user, { operation: 'undo', call: at, cwd: one.path, session });
    await this.#settle(one);
    const made = (await listCheckpoints(own)).slice(known).at(-1);
    if (made) await restore(own, { tree: made.tree });
    this.#check(one);
    await undoTurn(own, { sessionId: session });
    one.files = before;
    this.#check(one);
  }

  /** A program that ends what another one began can be killed too. */
  async #crashReconcile(one: Expected, at: number): Promise<void> {
    const user = this.#user;
    const steps = STEPS.remove;
    const step = steps[at % steps.length];
    await crashAt(user, { operation: 'remove', id: one.id, step });
    await crashAt(user, { operation: 'create', name: 'work', step: STEPS.create[at % 3] });
    await crashAt(user, { operation: 'reconcile', call: at >> 1 });
    await this.#settle(one);
    if (user.files.get(one.id).state !== 'removed') this.#check(one);
  }

  /** Waits for git processes that a killed program left, and ends what it began. */
  async #settle({ path }: Expected): Promise<void> {
    const user = this.#user;
    for (const name of readdirSync(join(user.state, 'repositories'))) {
      await processesEnded(join(user.state, 'repositories', name));
    }
    await processesEnded(path);
    await reconcile(user);
  }

  async #crash(
    operation: 'create' | 'remove' | 'restore',
    one: Expected | undefined,
    at: number,
    ms: number,
  ): Promise<void> {
    const user = this.#user;
    const when = at < 12 ? { step: STEPS[operation][at % 4] } : { afterMs: ms };
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

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
