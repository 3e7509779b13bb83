import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '@baton/config/paths/atomic-file';
import { resolveLinks } from '@baton/config/paths/resolve-links';
import type { Environment } from '@baton/process/isolation/confine';
import { BatonError, type WorkspaceRecord } from '@baton/protocol/values';
import type { Git } from '../git/git.ts';
import { MachineSlots } from '../git/machine-slots.ts';
import type { WorkspaceOwner } from './workspace-owner.ts';

/** Facts about a removed workspace that restore it as it was. */
export type RemovedWorkspace = NonNullable<WorkspaceRecord['removed']> & {
  /** Commit of HEAD. */
  head?: string | null | undefined;
  /** True if HEAD was not on the branch. */
  is_detached?: boolean | undefined;
  /** Tree of the index, with everything that was staged. */
  index_tree?: string | null | undefined;
  /** Tree of the ignored files. */
  ignored_tree?: string | null | undefined;
};

/** A merge of a workspace's branch. */
export type WorkspaceMerge = {
  /** The branch that got the work. */
  target: string;
  /** Its new commit. */
  commit: string;
  /** The commit of the workspace that was merged. */
  head: string;
  /** ISO 8601. */
  at: string;
};

/** A record as it is on the disk, with fields that only this machine uses. */
export type StoredWorkspace = Omit<WorkspaceRecord, 'removed'> & {
  removed: RemovedWorkspace | null;
  owner?: WorkspaceOwner | undefined;
  /** The last merge of its branch into another one. */
  merged?: WorkspaceMerge | undefined;
  /** A merge that was under way when the record was written. */
  merging?: WorkspaceMerge | undefined;
  /** Operation that was under way when the record was written. */
  pending?: 'create' | 'remove' | 'restore' | undefined;
  /** True for a worktree that the user made: its branch is never deleted. */
  adopted?: boolean | undefined;
  /** Folder that this worktree shares with those of other repositories. */
  group?: string | undefined;
  /** Folder in the user's repository with HEAD and index of this worktree. */
  git_dir?: string | undefined;
  /** Ignored files that its setup made or copied. */
  setup_files?: FileStamps | undefined;
};

/** Size and time of files, by their paths. */
export type FileStamps = Readonly<Record<string, string>>;

/** A file that is not a record; it is left as it is. */
export type DamagedRecord = { path: string; problem: string };

/** Returns the variables that scripts inherit. */
export type InheritedVariables = () => Environment | Promise<Environment>;

/** The parts of a `WorkspaceHome` that operations on worktrees use. */
export type WorkspaceTools = {
  git: Git;
  files: WorkspaceFiles;
  inherited?: InheritedVariables | undefined;
};

const LOCK_MS = 60_000;
const ID = /^[A-Za-z0-9_-]+$/;

/** The records of all workspaces of this machine, one JSON file each. */
export class WorkspaceFiles {
  readonly stateFolder: string;
  readonly folder: string;
  #names: MachineSlots;

  constructor({ stateFolder }: { stateFolder: string }) {
    this.stateFolder = stateFolder;
    this.folder = join(stateFolder, 'workspaces');
    this.#names = new MachineSlots({ folder: join(this.folder, 'locks'), count: 1 });
  }

  /** Writes a record; it survives a loss of power once this returns. */
  put(record: StoredWorkspace): void {
    try {
      writeFileAtomically(this.#path(record.workspace_id), `${JSON.stringify(record, null, 2)}\n`);
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code !== 'ENOSPC' && code !== 'EDQUOT') throw cause;
      throw new BatonError('no_resources', `The workspace cannot be recorded: ${message}`, {
        cause,
      });
    }
  }

  /** Changes some fields of a record and returns it. */
  change(id: string, fields: Partial<StoredWorkspace>): StoredWorkspace {
    const record = { ...this.get(id), ...fields };
    this.put(record);
    return record;
  }

  /** Returns the record with an id; throws `not_found`, or `config_invalid` if its file is damaged. */
  get(id: string): StoredWorkspace {
    const found = ID.test(id) ? this.#read(this.#path(id)) : undefined;
    if (found === undefined) throw notFound(id);
    if ('problem' in found && !('workspace_id' in found)) throw damaged(found);
    return found as StoredWorkspace;
  }

  delete(id: string): void {
    if (ID.test(id)) rmSync(this.#path(id), { force: true });
  }

  /** All records, oldest first. */
  list(): StoredWorkspace[] {
    return this.#readAll().records;
  }

  /** Files in the folder of the records that cannot be read. */
  damaged(): DamagedRecord[] {
    return this.#readAll().damaged;
  }

  /**
   * Finds a workspace by its id, the beginning of its id, its folder, its branch, or the last part of one of these two.
   * Throws `not_found` if none matches and `conflict` if several do.
   */
  find(name: string): StoredWorkspace {
    const all = this.list();
    const path = name.startsWith('/') ? (resolveLinks('/', name) ?? name) : undefined;
    const rules: ((record: StoredWorkspace) => boolean)[] = [
      ({ workspace_id }) => workspace_id === name,
      (record) => record.path === path,
      ({ branch }) => branch === name,
      (record) => record.path.endsWith(`/${name}`) || record.branch?.endsWith(`/${name}`) === true,
      ({ workspace_id }) => name.length > 2 && workspace_id.startsWith(name),
    ];
    for (const matches of rules) {
      const found = preferPresent(all.filter(matches));
      if (found.length === 1 && found[0]) return found[0];
      if (found.length > 1) throw ambiguous(name, found);
    }
    throw notFound(name);
  }

  /** Waits until no other process chooses the name of a workspace. */
  lockNames(signal?: AbortSignal): Promise<() => void> {
    const timeout = AbortSignal.timeout(LOCK_MS);
    return this.#names.take(signal ? AbortSignal.any([signal, timeout]) : timeout);
  }

  /** Waits until no other session makes or sets up the workspace with an id; returns the function that ends this. */
  async lock(id: string, signal?: AbortSignal): Promise<() => void> {
    const slots = new MachineSlots({ folder: join(this.folder, 'locks', id), count: 1 });
    try {
      return await slots.take(signal ?? new AbortController().signal);
    } catch (cause) {
      throw new BatonError('interrupted', 'The wait for the worktree was stopped.', { cause });
    }
  }

  #path(id: string): string {
    return join(this.folder, `${id}.json`);
  }

  #readAll(): { records: StoredWorkspace[]; damaged: DamagedRecord[] } {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const records: StoredWorkspace[] = [];
    const damaged: DamagedRecord[] = [];
    for (const name of readdirSync(this.folder)) {
      if (!name.endsWith('.json') || name.startsWith('.')) continue;
      const found = this.#read(join(this.folder, name));
      if (found === undefined) continue;
      if ('workspace_id' in found) records.push(found);
      else damaged.push(found);
    }
    records.sort((a, b) => a.created_at.localeCompare(b.created_at));
    return { records, damaged };
  }

  #read(path: string): StoredWorkspace | DamagedRecord | undefined {
    try {
      return readRecord(JSON.parse(readFileSync(path, 'utf8')));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      const [problem = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
      return { path, problem };
    }
  }
}

const TEXTS = ['workspace_id', 'kind', 'state', 'host', 'path', 'cwd', 'created_at', 'used_at'];

/** Checks the fields that others rely on; without a schema, whose library costs more than a run of a small agent. */
function readRecord(value: unknown): StoredWorkspace {
  const fields = (value ?? {}) as Record<string, unknown>;
  const wrong = TEXTS.find((name) => typeof fields[name] !== 'string');
  if (wrong !== undefined) throw new Error(`${wrong} is missing or not a text.`);
  if (typeof fields.ports !== 'object' || fields.ports === null) {
    throw new Error('ports is not an object.');
  }
  return fields as StoredWorkspace;
}

/** A removed workspace has a name only as long as no other one has it. */
function preferPresent(found: StoredWorkspace[]): StoredWorkspace[] {
  const present = found.filter(({ state }) => state !== 'removed');
  return present.length > 0 ? present : found;
}

function notFound(name: string): BatonError {
  return new BatonError('not_found', `Workspace "${name}" not found.`, {
    hint: 'Run "baton workspaces" to see the workspaces of this machine.',
  });
}

function ambiguous(name: string, found: readonly StoredWorkspace[]): BatonError {
  const folders = found.map(({ path }) => path).join(', ');
  return new BatonError('conflict', `"${name}" matches several workspaces: ${folders}.`, {
    hint: 'Use one of these folders as the name.',
  });
}

function damaged({ path, problem }: DamagedRecord): BatonError {
  return new BatonError('config_invalid', `${path} is not a workspace record: ${problem}`, {
    hint: 'Restore the file from a backup, or move it away. Its worktree stays as it is.',
  });
}

/** A record without the fields that only its machine uses. */
export function publicRecord(record: StoredWorkspace): WorkspaceRecord {
  const { owner: _owner, pending: _pending, group: _group, git_dir: _gitDir, ...shown } = record;
  const { adopted: _adopted, setup_files: _files, ...workspace } = shown;
  return workspace;
}
