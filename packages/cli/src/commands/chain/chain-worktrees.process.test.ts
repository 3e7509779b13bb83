import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainEvent } from '@baton/protocol';
import { expect, test } from 'vitest';
import { CliWorld } from '../../testing/baton.ts';

/** A repository with a chains file, and settings of the user for it. */
function project(steps: readonly object[], { chain = {}, workspace = {} } = {}) {
  const world = new CliWorld();
  const { cwd, home } = world;
  rmSync(join(cwd, '.git'), { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=U', '-c', 'user.email=u@localhost', ...args], {
      ...{ cwd, env: { ...world.env }, encoding: 'utf8' },
    }).trimEnd();
  const agents = { a: { backend: 'demo', permissionMode: 'allow-all' } };
  writeFileSync(
    join(cwd, 'chains.json'),
    JSON.stringify({ agents, chains: { work: { ...chain, steps } } }),
  );
  writeFileSync(join(cwd, 'a.txt'), 'one\n');
  const config = { projects: { [cwd]: { workspace } } };
  writeFileSync(join(home, '.baton/config.json'), JSON.stringify(config), { mode: 0o600 });
  git('init', '--quiet', '-b', 'main');
  git('add', '-A');
  git('commit', '--quiet', '-m', 'first');
  const baton = (...args: string[]) => world.call({ args });
  const run = (...flags: string[]) => baton('chain', 'run', 'work', '--trust', ...flags);
  const worktrees = async () =>
    (JSON.parse((await baton('workspaces', '--json')).stdout) as { path: string }[]).map(
      ({ path }) => path.slice(folder.length + 1),
    );
  const folder = join(home, 'baton-workspaces/project');
  return { world, git, baton, run, worktrees, folder, home, cwd };
}

const step = (id: string, script: readonly object[], more: object = {}) => ({
  ...{ id, agent: 'a', prompt: `demo:script ${JSON.stringify(script)}` },
  ...more,
});
const shell = (command: string) => [{ shell: command }, { say: 'Done.' }];

function eventsIn(stdout: string): ChainEvent[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as ChainEvent);
}

test('steps share the worktree that they name, and parallel steps have their own', async () => {
  const workspace = { kind: 'worktree', name: 'fix' };
  const { git, baton, run, worktrees, folder, cwd } = project(
    [
      step('write', shell('echo two >> a.txt'), { workspace }),
      {
        id: 'both',
        parallel: [
          step('left', shell('echo left > b.txt'), { workspace: 'worktree' }),
          step('right', shell('echo right > b.txt'), { workspace: 'worktree' }),
        ],
      },
      step('check', shell('grep two a.txt && pwd > where.txt'), { workspace }),
    ],
    { workspace: { setup: 'echo ran >> .git-setup.log' } },
  );
  const { code, stdout } = await run('--json');
  expect(code).toBe(0);
  expect(git('status', '--porcelain')).toBe('');
  expect((await worktrees()).sort()).toEqual(['fix', 'work-left', 'work-right']);
  expect(readFileSync(join(folder, 'fix/where.txt'), 'utf8')).toBe(`${folder}/fix\n`);
  expect(readFileSync(join(folder, 'fix/.git-setup.log'), 'utf8')).toBe('ran\n');
  expect(readFileSync(join(folder, 'work-left/b.txt'), 'utf8')).toBe('left\n');
  expect(readFileSync(join(folder, 'work-right/b.txt'), 'utf8')).toBe('right\n');
  const placed = eventsIn(stdout).filter((event) => event.type === 'step.placed');
  expect(placed.map((event) => [event.step, event.workspace.branch, event.workspace.path])).toEqual(
    expect.arrayContaining([
      ['write', 'baton/fix', `${folder}/fix`],
      ['both/left', 'baton/work-left', `${folder}/work-left`],
      ['check', 'baton/fix', `${folder}/fix`],
    ]),
  );
  const shown = (await baton('chain', 'show', 'last')).stdout;
  expect(shown).toContain(`Branch baton/fix in ${folder}/fix: write, check`);
  const transcript = (await baton('chain', 'show', 'last', 'check')).stdout;
  expect(transcript).toContain(`in ${folder}/fix on branch baton/fix`);
  expect(eventsIn(stdout).find(({ type }) => type === 'step.started')).toMatchObject({ cwd });
});

test('a chain in a worktree leaves the folder alone', async () => {
  const { git, run, folder } = project(
    [step('one', shell('echo two >> a.txt')), step('two', shell('cat a.txt > b.txt'))],
    { chain: { workspace: 'worktree' } },
  );
  const { code, stderr } = await run();
  expect(code).toBe(0);
  expect(stderr).toContain(`two: works in ${folder}/work on branch baton/work`);
  expect(readFileSync(join(folder, 'work/b.txt'), 'utf8')).toBe('one\ntwo\n');
  expect(git('status', '--porcelain')).toBe('');
});

test('the settings of a project give a chain one worktree', async () => {
  const steps = [step('one', shell('echo 1 > b.txt')), step('two', shell('cat b.txt'))];
  const { run, worktrees } = project(steps, { workspace: { default: 'worktree' } });
  expect((await run()).code).toBe(0);
  expect(await worktrees()).toEqual(['work']);
});

test('a chain that crashed while it made a worktree continues in that worktree', async () => {
  // The setup is a child of the command.
  const crash = '[ -e "$HOME/crashed" ] || { touch "$HOME/crashed"; kill -9 $PPID; }';
  const { baton, run, worktrees, home, folder } = project(
    [step('one', shell('echo done > b.txt'), { workspace: 'worktree' })],
    { workspace: { setup: crash } },
  );
  expect((await run()).code).toBe(null);
  expect(existsSync(join(home, 'crashed'))).toBe(true);
  expect(await worktrees()).toEqual(['work-one']);
  const resumed = await baton('chain', 'resume', 'last');
  expect(resumed).toMatchObject({
    code: 0,
    stdout: 'Done.',
    stderr: expect.stringContaining('one: '),
  });
  expect(await worktrees()).toEqual(['work-one']);
  expect(readFileSync(join(folder, 'work-one/b.txt'), 'utf8')).toBe('done\n');
});

test('a setup that fails fails its step, which says where it was', async () => {
  const { run, worktrees, folder } = project(
    [step('one', shell('touch never'), { workspace: 'worktree' })],
    { workspace: { setup: 'echo broken; exit 3' } },
  );
  const { code, stdout } = await run('--json');
  expect(code).toBe(1);
  expect(eventsIn(stdout)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'step.placed' }),
      expect.objectContaining({
        type: 'step.completed',
        error: expect.objectContaining({ code: 'setup_failed' }),
      }),
    ]),
  );
  expect(await worktrees()).toEqual(['work-one']);
  expect(existsSync(join(folder, 'work-one/never'))).toBe(false);
});
