import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Makes a repository with one commit, and returns its folder. */
export function makeRepository(parent: string, name: string): string {
  const root = join(parent, name);
  mkdirSync(root);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root });
  git('init', '--quiet', '-b', 'main');
  writeFileSync(join(root, 'a.txt'), 'one\n');
  git('add', '-A');
  git('-c', 'user.name=U', '-c', 'user.email=u@localhost', 'commit', '--quiet', '-m', 'first');
  return root;
}
