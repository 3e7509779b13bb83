import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createCheckpoint,
  createWorktree,
  differences,
  takeSnapshot,
  WorkspaceHome,
} from '@baton/workspaces';
import { type Benchmark, type Context, type Finding, finding } from '../benchmark.ts';
import { compare } from '../measure/compare.ts';
import { cpuMs } from '../measure/cpu.ts';
import { timeRatios } from '../measure/ratio.ts';
import { estimate, median } from '../measure/statistics.ts';
import { scratchFolder } from '../world/leave-nothing.ts';
import { Served } from '../world/served.ts';

const FILES = { checkpoint: 100_000, changes: 20_000, create: 40_000 };
const CHANGED = { checkpoint: 10, changes: 1000 };
const PER_FOLDER = 100;
const AT_MOST = 40;
/** The system counts CPU time in steps of 10 ms. */
const IDLE = { workspaces: 100, windowMs: 10_000, windows: 12, limitMs: 20 };
/** A daemon tidies its workspaces when it starts. */
const QUIET = { windowMs: 3000, cpuMs: 20, atMost: 100 };
/** A collection of garbage in the background would disturb the measurement. */
const SETTINGS = [
  'user.name=B',
  'user.email=b@localhost',
  'gc.auto=0',
  'maintenance.auto=false',
].flatMap((setting) => ['-c', setting]);

/** Costs of a workspace beside the Git commands that do the same by hand. */
export const workspaces: Benchmark[] = [
  {
    name: 'workspace-checkpoint',
    claim: `a checkpoint in a repository of ${FILES.checkpoint} files with ${CHANGED.checkpoint} changed takes at most 1.5 times as long as \`git status\``,
    run: checkpoint,
  },
  {
    name: 'workspace-changes',
    claim: `the changes of ${CHANGED.changes} files take at most twice as long as \`git diff\``,
    run: changes,
  },
  {
    name: 'workspace-create',
    claim: `a worktree of ${FILES.create} files is made in at most 1.2 times the time of \`git worktree add\``,
    run: create,
  },
  {
    name: 'workspace-idle',
    claim: `a daemon with ${IDLE.workspaces} idle workspaces uses at most ${IDLE.limitMs} ms of CPU time in ${IDLE.windowMs / 1000} s more than one without`,
    run: idle,
  },
];

/** A repository with one commit. */
function repository(files: number): { root: string; git: (...args: string[]) => Buffer } {
  const root = join(scratchFolder(), 'repository');
  mkdirSync(root);
  for (let n = 0; n < files; n++) {
    const path = pathOf(root, n);
    if (n % PER_FOLDER === 0) mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, `${n}\n`.repeat(5));
  }
  const git = (...args: string[]) =>
    execFileSync('git', [...SETTINGS, ...args], {
      cwd: root,
      maxBuffer: 1024 ** 3,
      stdio: 'pipe',
    });
  git('init', '--quiet');
  git('add', '-A');
  git('commit', '--quiet', '-m', 'first');
  git('gc', '--quiet');
  return { root, git };
}

function pathOf(root: string, n: number): string {
  const folder = Math.floor(n / PER_FOLDER);
  return join(root, `part-${folder % PER_FOLDER}`, `folder-${folder}`, `file-${n}.txt`);
}

function homeOf(): WorkspaceHome {
  const folder = scratchFolder();
  return new WorkspaceHome({ stateFolder: join(folder, 'state'), folder: join(folder, 'work') });
}

async function checkpoint(context: Context): Promise<Finding[]> {
  const { root, git } = repository(FILES.checkpoint);
  const own = await homeOf().open(root);
  await createCheckpoint(own, { kind: 'start' });
  const between = async () => {
    for (let n = 0; n < CHANGED.checkpoint; n++) appendFileSync(pathOf(root, n * 977), 'more\n');
  };
  const sides = {
    git: async () => git('status', '--porcelain'),
    baton: () => createCheckpoint(own, { kind: 'after' }),
  };
  const figures = timeRatios('baton', 'git', { limit: 1.5, bound: 'at most' });
  return compare({ sides, figures, between, atMost: AT_MOST }, context);
}

async function changes(context: Context): Promise<Finding[]> {
  const { root, git } = repository(FILES.changes);
  const own = await homeOf().open(root);
  const start = await takeSnapshot(own);
  const between = async () => {
    for (let n = 0; n < CHANGED.changes; n++) appendFileSync(pathOf(root, n * 19), 'more\n');
  };
  const sides = {
    git: async () => git('diff', '--numstat'),
    baton: async () => differences(own, [start.tree, (await takeSnapshot(own)).tree]),
  };
  const figures = timeRatios('baton', 'git', { limit: 2, bound: 'at most' });
  return compare({ sides, figures, between, atMost: AT_MOST }, context);
}

async function create(context: Context): Promise<Finding[]> {
  const { root, git } = repository(FILES.create);
  const { git: ownGit, files, folder } = homeOf();
  const byHand = join(scratchFolder(), 'by-hand');
  let made = 0;
  const between = async () => {
    rmSync(byHand, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
    git('worktree', 'prune');
  };
  const sides = {
    git: async () => git('worktree', 'add', '--quiet', '-b', `by-hand-${++made}`, byHand),
    baton: () =>
      createWorktree({ git: ownGit, files, source: root, folder, name: `task ${++made}` }),
  };
  const figures = timeRatios('baton', 'git', { limit: 1.2, bound: 'at most' });
  return compare({ sides, figures, between, atMost: AT_MOST }, context);
}

async function idle({ quick, say }: Context): Promise<Finding[]> {
  const { root } = repository(1000);
  const home = scratchFolder();
  const workspaces = new WorkspaceHome({
    stateFolder: join(home, '.baton/workspaces'),
    folder: join(home, 'baton-workspaces'),
  });
  const { git, files, folder } = workspaces;
  for (let n = 1; n <= IDLE.workspaces; n++) {
    await createWorktree({ git, files, source: root, folder, name: `task ${n}` });
    say(`${n} workspaces`);
  }
  const served = new Served();
  const start = async (HOME: string) => {
    const { child } = await served.start(scratchFolder(), { ...process.env, HOME });
    return child.pid ?? 0;
  };
  const [none, many] = [await start(scratchFolder()), await start(home)];
  const used = async (ms: number) => {
    const before = [cpuMs(none), cpuMs(many)] as const;
    await pause(ms);
    return { none: cpuMs(none) - before[0], many: cpuMs(many) - before[1] };
  };
  for (let n = 1; n <= QUIET.atMost; n++) {
    const { none, many } = await used(QUIET.windowMs);
    if (Math.max(none, many) <= QUIET.cpuMs) break;
    say(`not quiet yet: ${none} and ${many} ms`);
  }
  const rounds: { none: number; many: number }[] = [];
  while (rounds.length < (quick ? 2 : IDLE.windows)) {
    rounds.push(await used(IDLE.windowMs));
    say(`${rounds.length} windows`);
  }
  await served.stopAll();
  const detail = {
    'none cpuMs': median(rounds.map((each) => each.none)),
    'many cpuMs': median(rounds.map((each) => each.many)),
  };
  const facts = { what: 'CPU time', unit: 'ms', limit: IDLE.limitMs, bound: 'at most' } as const;
  const more = (all: readonly (typeof rounds)[number][]) =>
    median(all.map(({ none, many }) => many - none));
  return [finding({ ...facts, samples: rounds.length, detail }, estimate(rounds, more))];
}
