import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkspaceHome } from '../workspace-home.ts';
import { type CreateWorktreeOptions, createWorktree } from '../worktree/create-worktree.ts';
import { WorkspaceFiles } from '../worktree/workspace-files.ts';
import { TestRepository } from './repository.ts';

/** A repository with a place for worktrees and their records. */
export class TestWorld extends TestRepository {
  readonly files = new WorkspaceFiles({ stateFolder: this.state });
  readonly worktrees = join(this.folder, 'worktrees');
  readonly home = new WorkspaceHome({ stateFolder: this.state, folder: this.worktrees });

  /** Makes a worktree of the repository. */
  create(options: Partial<CreateWorktreeOptions> = {}) {
    const { git, files, root: source, worktrees: folder } = this;
    return createWorktree({ git, files, source, folder, ...options });
  }

  /** Files of the repository that nothing but the user may change. */
  untouched(): Record<string, string> {
    const names = ['index', 'HEAD', 'config', 'refs/stash', 'logs/refs/stash', 'info/exclude'];
    const hooks = join(this.root, '.git/hooks');
    const all = [
      ...names,
      ...(existsSync(hooks) ? readdirSync(hooks) : []).map((n) => `hooks/${n}`),
    ];
    return Object.fromEntries(
      all
        .map((name) => [name, join(this.root, '.git', name)] as const)
        .filter(([, path]) => existsSync(path))
        .map(([name, path]) => [name, readFileSync(path, 'hex')]),
    );
  }

  /** Problems that Git finds in the repository, and locks that were left there. */
  problems(gitDir = join(this.root, '.git')): string[] {
    const { stdout, stderr, status } = spawnSync('git', ['fsck', '--full', '--no-dangling'], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, GIT_DIR: gitDir },
      encoding: 'utf8',
    });
    const said = `${stdout}${stderr}`
      .split('\n')
      .filter((line) => /error|missing|broken|invalid/.test(line));
    const names = readdirSync(gitDir, { recursive: true, encoding: 'utf8' });
    return [
      ...(status === 0 ? [] : [`fsck ${status}`]),
      ...said,
      ...names.filter((name) => name.endsWith('.lock') || /tmp_|\.tmp$/.test(name)),
    ];
  }
}
