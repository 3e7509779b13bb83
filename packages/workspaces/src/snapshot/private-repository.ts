import { createHash, randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Git, GitCall } from '../git/git.ts';
import { MachineSlots } from '../git/machine-slots.ts';
import {
  findRepository,
  isRepository,
  type RepositoryPlace,
  readConfig,
} from '../git/repository.ts';

/**
 * Settings that decide how Git reads and writes files, and name no program. Everything else in the configuration of a
 * repository is ignored.
 */
const FILE_SETTINGS = [
  ...['core.autocrlf', 'core.eol', 'core.filemode', 'core.symlinks', 'core.ignorecase'],
  ...['core.precomposeunicode', 'core.sparsecheckout', 'core.sparsecheckoutcone'],
];
/** Size of a file that a snapshot takes. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024;
/** Folders of a plain folder that are made by tools and can be made again. */
export const PLAIN_EXCLUDES = ['node_modules', '.venv', '__pycache__', '.git'];
/** A temporary index of a process that was killed. */
const STALE_MS = 3_600_000;

type IndexCopy = {
  path: string;
  /** The tree with the files of the index, if it is known. */
  tree: string | undefined;
  /** Replaces the index by the copy; `tree` is what was written from it. */
  keep(tree?: string): void;
  drop(): void;
};

const PRIVATE = { mode: 0o600 };

/**
 * A Git directory of Baton's own for one folder: snapshots and diffs use it, so that nothing that the repository of the
 * user configures is executed, and its index, HEAD, refs and stash are never touched. The repositories of all working
 * trees of one repository share their objects, and borrow those of the user's.
 */
export class PrivateRepository {
  readonly git: Git;
  /** Root of the files. */
  readonly root: string;
  /** The user's repository; undefined for a folder without Git. */
  readonly source: RepositoryPlace | undefined;
  /** Reason why a `.git` in the folder was not followed. */
  readonly ignoredGit: string | undefined;
  /** Git directory with the objects and refs. */
  readonly common: string;
  /** Git directory with the index of this folder. */
  readonly gitDir: string;
  readonly id: string;

  private constructor(git: Git, stateFolder: string, folder: string) {
    this.git = git;
    const found = findRepository(folder);
    const isGit = isRepository(found) && found.kind !== 'bare';
    this.source = isGit ? found : undefined;
    this.ignoredGit = !isRepository(found) && found.reason === 'elsewhere' ? found.path : undefined;
    this.root = isGit ? found.root : realpathSync(folder);
    this.common = join(stateFolder, 'repositories', keyOf(isGit ? found.commonDir : this.root));
    this.id = keyOf(this.root);
    this.gitDir = join(this.common, 'worktrees', this.id);
  }

  /** Opens the private repository of a folder, and creates it at the first time. */
  static async open(git: Git, stateFolder: string, folder: string): Promise<PrivateRepository> {
    const repository = new PrivateRepository(git, stateFolder, folder);
    await repository.#prepare();
    return repository;
  }

  /** The options to call git for this folder; `indexFile` is a copy of the index. */
  call(more: Partial<GitCall> = {}): GitCall {
    return { cwd: this.root, gitDir: this.gitDir, workTree: this.root, ...more };
  }

  /** The options to call git for objects and refs alone. */
  objects(more: Partial<GitCall> = {}): GitCall {
    return { cwd: this.common, gitDir: this.common, ...more };
  }

  /** The file of the index; calls work on copies of it, so that two of them never wait for each other. */
  get index(): string {
    return join(this.gitDir, 'index');
  }

  /** A copy of the index for one operation, which can replace the index afterwards. */
  copyIndex({ isEmpty = false } = {}): IndexCopy {
    const path = join(this.gitDir, `index.${randomUUID()}`);
    const before = stampOf(this.index);
    if (!isEmpty && before) copyIndexFile(this.index, path);
    const isSame = !isEmpty && before !== undefined && before === stampOf(this.index);
    return {
      path,
      tree: isSame ? this.#treeOf(before) : undefined,
      keep: (tree) => {
        writeFileSync(this.#treeFile, JSON.stringify({ stamp: stampOf(path), tree }), PRIVATE);
        renameSync(path, this.index);
      },
      drop: () => rmSync(path, { force: true }),
    };
  }

  get #treeFile(): string {
    return join(this.gitDir, 'tree');
  }

  /** The tree that was written from an index, so that it need not be written again. */
  #treeOf(stamp: string): string | undefined {
    try {
      const found = JSON.parse(readSmall(this.#treeFile));
      return found.stamp === stamp ? found.tree : undefined;
    } catch {
      return undefined;
    }
  }

  /** A copy of the user's index; undefined if there is none. */
  copyUsersIndex(): { path: string; drop(): void } | undefined {
    const index = this.source && join(this.source.gitDir, 'index');
    if (!index || !existsSync(index)) return undefined;
    const copy = this.copyIndex({ isEmpty: true });
    copyIndexFile(index, copy.path);
    return copy;
  }

  /** The state of the user's index, unless the last snapshot that was kept has seen it. */
  get unseenIndex(): { file: string; seen(): void } | undefined {
    const file = this.source && join(this.source.gitDir, 'index');
    const stamp = file && stampOf(file);
    const note = join(this.gitDir, 'seen-index');
    if (!file || !stamp || readSmall(note) === stamp) return undefined;
    return { file, seen: () => writeFileSync(note, stamp, PRIVATE) };
  }

  /** True if the last snapshot left out new files, because they were too many or too large. */
  get hasLeftOut(): boolean {
    return existsSync(join(this.gitDir, 'left-out'));
  }

  noteLeftOut(isSo: boolean): void {
    if (isSo === this.hasLeftOut) return;
    const file = join(this.gitDir, 'left-out');
    if (isSo) writeFileSync(file, '', { mode: 0o600 });
    else rmSync(file, { force: true });
  }

  /** Versions of files that a snapshot has written without the index. */
  get lastVersion(): string {
    return readSmall(join(this.gitDir, 'last-version'));
  }

  set lastVersion(version: string) {
    writeFileSync(join(this.gitDir, 'last-version'), version, PRIVATE);
  }

  /** Waits until no other process changes the files of this folder. */
  lock(signal: AbortSignal): Promise<() => void> {
    return new MachineSlots({ folder: join(this.gitDir, 'locks'), count: 1 }).take(signal);
  }

  async #prepare(): Promise<void> {
    const { gitDir } = this;
    const stamp = this.#stamp();
    const stampFile = join(gitDir, 'prepared');
    if (readSmall(stampFile) === stamp && existsSync(this.index)) return;
    await this.#set();
    writeUnlessSame(stampFile, stamp);
  }

  /** Sizes and times of the files that the repository is made from: unless one of them changed, it need not be looked at. */
  #stamp(): string {
    const { source } = this;
    const own = source
      ? ['config', 'info/exclude'].map((name) => join(source.commonDir, name))
      : [];
    const files = source
      ? ['config.worktree', 'info/sparse-checkout'].map((name) => join(source.gitDir, name))
      : [];
    const facts = [...own, ...files, ...userFiles()].map((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found ? `${file} ${found.size} ${found.mtimeMs} ${found.ino}` : file;
    });
    return [source?.commonDir ?? '', ...facts].join('\n');
  }

  async #set(): Promise<void> {
    const { git, common, gitDir, source } = this;
    const settings = source ? await readConfig(git, join(source.commonDir, 'config')) : new Map();
    if (!existsSync(join(common, 'HEAD'))) {
      await this.#create(settings.get('extensions.objectformat'));
    }
    if (source) {
      const alternates = join(common, 'objects/info/alternates');
      writeUnlessSame(alternates, `${join(source.commonDir, 'objects')}\n`);
    }
    writeUnlessSame(join(common, 'info/exclude'), this.#excludes());
    mkdirSync(gitDir, { recursive: true, mode: 0o700 });
    writeUnlessSame(join(gitDir, 'commondir'), '../..\n');
    writeUnlessSame(join(gitDir, 'gitdir'), `${join(this.root, '.git')}\n`);
    if (!existsSync(join(gitDir, 'HEAD'))) {
      writeUnlessSame(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
    }
    const own = source ? await readConfig(git, join(source.gitDir, 'config.worktree')) : new Map();
    await this.#copySettings(new Map([...(await userConfig(git)), ...settings, ...own]));
    this.#removeStale();
    if (!existsSync(this.index)) await this.#adoptUsersIndex();
  }

  async #create(objectFormat = 'sha1'): Promise<void> {
    mkdirSync(this.common, { recursive: true, mode: 0o700 });
    const format = objectFormat === 'sha256' ? ['--object-format=sha256'] : [];
    await this.git.run(['init', '--quiet', '--bare', '--template=', ...format, this.common], {
      cwd: this.common,
    });
    mkdirSync(join(this.common, 'info'), { recursive: true });
    mkdirSync(join(this.common, 'objects/info'), { recursive: true });
  }

  /** Settings of this folder are in a file of its own: working trees can differ. */
  async #copySettings(settings: ReadonlyMap<string, string>): Promise<void> {
    const lines = FILE_SETTINGS.flatMap((name) => {
      const value = settings.get(name);
      if (value === undefined || !/^[\w-]*$/.test(value)) return [];
      const [section, key] = name.split('.');
      return [`[${section}]`, `\t${key} = ${value}`];
    });
    writeUnlessSame(join(this.gitDir, 'config.worktree'), `${lines.join('\n')}\n`);
    const sparse = this.source && join(this.source.gitDir, 'info/sparse-checkout');
    if (sparse && existsSync(sparse)) {
      mkdirSync(join(this.gitDir, 'info'), { recursive: true });
      copyFileSync(sparse, join(this.gitDir, 'info/sparse-checkout'));
    }
    const config = join(this.common, 'config');
    if (readFileSync(config, 'utf8').includes('worktreeConfig')) return;
    await this.git.run(['config', '--file', config, 'extensions.worktreeConfig', 'true'], {
      cwd: '/',
    });
    await this.git.run(['config', '--file', config, 'core.repositoryFormatVersion', '1'], {
      cwd: '/',
    });
    await this.git.run(['config', '--file', config, '--unset', 'core.bare'], {
      cwd: '/',
      answers: [5],
    });
  }

  #excludes(): string {
    if (!this.source) return `${PLAIN_EXCLUDES.join('\n')}\n`;
    const own = readSmall(join(this.source.commonDir, 'info/exclude'));
    return `${readSmall(join(homedir(), '.config/git/ignore'))}\n${own}\n`;
  }

  /** The user's index knows size and time of every file, so that the first snapshot need not read them. */
  async #adoptUsersIndex(): Promise<void> {
    const { source, git } = this;
    const index = source && join(source.gitDir, 'index');
    if (!source || !index || !existsSync(index)) return;
    const copy = this.copyIndex();
    try {
      copyIndexFile(index, copy.path);
      for (const name of readdirSync(source.gitDir)) {
        if (!name.startsWith('sharedindex.')) continue;
        copyFileSync(join(source.gitDir, name), join(this.gitDir, name));
      }
      const call = this.call({ indexFile: copy.path });
      // Files with this mark would never be looked at again.
      const marked = (await git.records(['ls-files', '-v', '-z'], call))
        .filter((record) => /^[a-z] /.test(record))
        .map((record) => record.slice(2));
      await git.run(['update-index', '--no-split-index', '--no-fsmonitor'], call);
      if (marked.length > 0) {
        const input = marked.map((path) => `${path}\0`).join('');
        await git.run(['update-index', '--no-assume-unchanged', '-z', '--stdin'], {
          ...call,
          input,
        });
      }
      await this.#dropFiltered(call);
      copy.keep();
    } catch {
      // It is damaged or of a newer version: the first snapshot reads every file instead.
    } finally {
      copy.drop();
    }
  }

  /**
   * Files with a filter, such as those of LFS, are in the user's index as the filter stores them. Without the filter they
   * are kept as they are on the disk: they leave the index, and the first snapshot reads them like new files.
   */
  async #dropFiltered(call: GitCall): Promise<void> {
    const names = await this.git.records(['ls-files', '-z'], call);
    const rules = names.filter((name) => name.split('/').at(-1) === '.gitattributes');
    const infos = this.source ? [join(this.source.commonDir, 'info/attributes')] : [];
    const files = [...rules.map((name) => join(this.root, name)), ...infos];
    if (!files.some((file) => readSmall(file).includes('filter='))) return;
    const input = names.map((name) => `${name}\0`).join('');
    const told = await this.git.records(['check-attr', '-z', '--stdin', 'filter'], {
      ...call,
      input,
    });
    const filtered: string[] = [];
    for (let n = 0; n + 2 < told.length; n += 3) {
      const [name = '', value = ''] = [told[n], told[n + 2]];
      if (value === 'unspecified' || value === 'unset') continue;
      // One that is too large to be kept would look like a deleted one.
      const found = lstatSync(join(this.root, name), { throwIfNoEntry: false });
      if (!found || found.size <= MAX_FILE_BYTES) filtered.push(name);
    }
    await this.git.run(['update-index', '--force-remove', '-z', '--stdin'], {
      ...call,
      input: filtered.map((name) => `${name}\0`).join(''),
    });
  }

  #removeStale(): void {
    const limit = Date.now() - STALE_MS;
    for (const name of readdirSync(this.gitDir)) {
      if (!name.startsWith('index.') && !name.startsWith('fast_import_crash')) continue;
      const path = join(this.gitDir, name);
      const found = statSync(path, { throwIfNoEntry: false });
      if (found && found.mtimeMs < limit) rmSync(path, { force: true });
    }
  }
}

/**
 * Copies an index with its time: Git compares the content of files whose time is not before that of the index. A later
 * time would hide a change of the same size at the time at which the index was written.
 */
function copyIndexFile(from: string, to: string): void {
  const { atime, mtime } = statSync(from);
  copyFileSync(from, to);
  utimesSync(to, atime, mtime);
}

/** Distinguishes a file from every other that was there before; undefined if there is none. */
function stampOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
}

/** A short name for a path, unique on this machine. */
export function keyOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 20);
}

function writeUnlessSame(path: string, content: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === content) return;
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  writeFileSync(path, content, { mode: 0o600 });
}

/** Files of the user that decide how Git treats files in every repository. */
function userFiles(): string[] {
  const names = ['.config/git/config', '.gitconfig', '.config/git/ignore'];
  return names.map((name) => join(homedir(), name));
}

const MAX_EXCLUDES = 1024 * 1024;

function readSmall(path: string): string {
  try {
    const found = statSync(path);
    return found.isFile() && found.size < MAX_EXCLUDES ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

/** The settings of the user, who chose how files are written on this machine. */
async function userConfig(git: Git): Promise<ReadonlyMap<string, string>> {
  const files = userFiles().filter((file) => !file.endsWith('ignore'));
  const all = await Promise.all(files.map((file) => readConfig(git, file)));
  return new Map(all.flatMap((settings) => [...settings]));
}
