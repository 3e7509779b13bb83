import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliWorld } from '../testing/baton.ts';

test.concurrent('limits for a run are none for a person who types along', async () => {
  const world = new CliWorld();
  const claude = join(world.home, 'claude');
  writeFileSync(claude, '#!/bin/sh\necho "called with: $*."\n');
  chmodSync(claude, 0o755);
  const env = {
    BATON_CLAUDE_BIN: claude,
    BATON_MAX_TURNS: '3',
    BATON_BUDGET_USD: '1',
    BATON_TIMEOUT: '1h',
    BATON_RETRIES: '2',
    BATON_MODEL: 'opus',
  };
  const { code, output } = await world.terminal({ args: ['chat', '-b', 'claude'], env }).end();
  expect(output).toContain('--model opus');
  expect(output).not.toMatch(/turns|budget/);
  expect(code).toBe(0);
});

test.concurrent('the interface of an agent opens in a worktree', async () => {
  const world = new CliWorld();
  const { cwd, home } = world;
  rmSync(join(cwd, '.git'), { recursive: true });
  const git = (...args: string[]) => execFileSync('git', args, { cwd, env: { ...world.env } });
  git('init', '--quiet', '-b', 'main');
  const user = ['-c', 'user.name=U', '-c', 'user.email=u@localhost'];
  git(...user, 'commit', '--quiet', '--allow-empty', '-m', 'first');
  const claude = join(home, 'claude');
  writeFileSync(claude, '#!/bin/sh\necho "in $(pwd) on $BATON_BRANCH"; touch made\n');
  chmodSync(claude, 0o755);
  const env = { BATON_CLAUDE_BIN: claude };
  const args = ['chat', '-b', 'claude', '--worktree=try'];
  const { code, output } = await world.terminal({ args, env }).end();
  const worktree = join(home, 'baton-workspaces/project/try');
  expect(output).toContain(`in ${worktree} on baton/try`);
  expect(code).toBe(0);
  expect(existsSync(join(worktree, 'made'))).toBe(true);
  expect(existsSync(join(cwd, 'made'))).toBe(false);
  // In the folder itself its files are kept too.
  expect((await world.terminal({ args: ['chat', '-b', 'claude'], env }).end()).code).toBe(0);
  expect(existsSync(join(cwd, 'made'))).toBe(true);
  expect((await world.terminal({ args: ['undo'] }).end()).code).toBe(0);
  expect(existsSync(join(cwd, 'made'))).toBe(false);
});
