import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliWorld } from './baton.ts';

/** A world whose project is a repository with one commit. */
export function repository() {
  const world = new CliWorld();
  rmSync(join(world.cwd, '.git'), { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=U', '-c', 'user.email=u@localhost', ...args], {
      cwd: world.cwd,
      env: { ...world.env },
      encoding: 'utf8',
    }).trimEnd();
  git('init', '--quiet', '-b', 'main');
  writeFileSync(join(world.cwd, 'a.txt'), 'one\n');
  git('add', '-A');
  git('commit', '--quiet', '-m', 'first');
  const baton = (...args: string[]) => world.call({ args });
  const agent = (steps: readonly object[], ...flags: string[]) =>
    baton('run', '-p', 'allow-all', ...flags, `demo:script ${JSON.stringify(steps)}`);
  const path = join(world.home, 'baton-workspaces/project');
  return { ...{ world, git, baton, agent, path }, cwd: world.cwd };
}
