import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Git } from '../git/git.ts';
import { MachineSlots } from '../git/machine-slots.ts';
import { PrivateRepository } from '../snapshot/private-repository.ts';

/** A real repository in a temporary folder, driven with the git program as a user would. */
export class TestRepository {
  readonly folder: string;
  readonly root: string;
  readonly state: string;
  readonly git: Git;

  constructor({ name = 'app', isGit = true, args = [] as readonly string[] } = {}) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-git-')));
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
    this.root = join(this.folder, name);
    this.state = join(this.folder, 'state');
    mkdirSync(this.root);
    this.git = new Git({ slots: new MachineSlots({ folder: join(this.state, 'slots') }) });
    if (isGit) this.run('init', '--quiet', '-b', 'main', ...args);
  }

  /** Runs git as the user would, with the configuration of the repository. */
  run(...args: string[]): string {
    return this.runIn(this.root, ...args);
  }

  runIn(cwd: string, ...args: string[]): string {
    return this.#execute(cwd, args);
  }

  /** Runs git in the repository with an input. */
  feed(input: string, ...args: string[]): string {
    return this.#execute(this.root, args, input);
  }

  #execute(cwd: string, args: readonly string[], input = ''): string {
    const env = {
      PATH: process.env.PATH,
      HOME: this.folder,
      GIT_AUTHOR_NAME: 'U',
      GIT_AUTHOR_EMAIL: 'u@localhost',
      GIT_COMMITTER_NAME: 'U',
      GIT_COMMITTER_EMAIL: 'u@localhost',
    };
    return execFileSync('git', args, {
      cwd,
      env,
      input,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trimEnd();
  }

  write(files: Readonly<Record<string, string | Uint8Array>>, root = this.root): void {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
  }

  commit(files: Readonly<Record<string, string | Uint8Array>>, message = 'change'): string {
    this.write(files);
    this.run('add', '-A');
    this.run('commit', '--quiet', '--allow-empty', '-m', message);
    return this.run('rev-parse', 'HEAD');
  }

  private(folder = this.root): Promise<PrivateRepository> {
    return PrivateRepository.open(this.git, this.state, folder);
  }
}
