import { realpathSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, relative } from 'node:path';
import {
  BatonError,
  type WorkspaceRecord,
  type WorkspaceRequest,
  type WorkspaceState,
} from '@baton/protocol/values';
import { findRepository, isRepository, readHead } from '../git/repository.ts';
import type { WorkspaceSettings } from '../project/settings-schema.ts';
import { loadWorkspaceSettings } from '../project/workspace-settings.ts';
import { workspaceVariables } from '../scripts/workspace-variables.ts';
import { FolderSessions } from '../worktree/folder-sessions.ts';
import { publicRecord, type StoredWorkspace } from '../worktree/workspace-files.ts';
import type { TurnOptions } from './turn-options.ts';

/** A worktree in one of these states was made, but its setup may not have ended well. */
const UNPREPARED: ReadonlySet<WorkspaceState> = new Set(['ready', 'setting_up', 'failed']);

/**
 * The folder of a turn: the user's own, or a worktree, which is made and set up before the agent starts. Most turns work
 * in place, so that what only worktrees need is loaded when there is one.
 */
export class TurnFolder {
  #options: TurnOptions;
  #settings: WorkspaceSettings = {};
  #workspace: WorkspaceRecord | undefined;
  #sessions: FolderSessions;
  /** Ends the record of this session in its folder. */
  #leave: () => void = () => {};

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#workspace = options.workspace;
    this.#sessions = new FolderSessions(options.home);
  }

  get workspace(): WorkspaceRecord | undefined {
    return this.#workspace;
  }

  /** The folder that the agent works in. */
  get cwd(): string {
    const { kind, cwd } = this.#workspace ?? {};
    return kind === 'worktree' && cwd ? cwd : this.#options.cwd;
  }

  /** Variables for the agent. */
  get env(): Readonly<Record<string, string>> {
    if (this.#workspace?.kind !== 'worktree') return {};
    return { ...this.#settings.env, ...workspaceVariables(this.#workspace) };
  }

  /** Makes the worktree of the session, or takes it into use. */
  async enter(): Promise<void> {
    const { home, cwd: source, signal } = this.#options;
    await this.#readSettings(this.#workspace?.repository ?? source);
    const request = this.#wanted();
    // Sessions that share a worktree wait until the first of them has made it and set it up.
    const id = request?.workspace_id;
    const unlock = id === undefined ? undefined : await home.files.lock(id, signal);
    try {
      if (request && !(await this.#joinWorktree(id))) await this.#createWorktree(request);
      this.#checkWorktree();
      // Before its state says that it is used, others must know by whom.
      this.#leave = this.#sessions.enter(this.cwd, this.#options.sessionId);
      await this.#prepareWorktree();
    } catch (error) {
      this.#leave();
      throw error;
    } finally {
      unlock?.();
    }
  }

  /** Ends the record of this session, and the use of its worktree. */
  async leave(): Promise<void> {
    this.#leave();
    if (this.#workspace?.kind !== 'worktree') return;
    const { workspace_id: id, path } = this.#workspace;
    // Another session may share the worktree.
    const state = this.#sessions.in(path).length > 0 ? 'in_use' : 'idle';
    await this.#update(this.#options.home.files.change(id, { state, used_at: now() }));
  }

  #checkWorktree(): void {
    if (this.#workspace?.kind !== 'worktree') return;
    const { workspace_id: id, cwd, path } = this.#workspace;
    if (isFolder(cwd)) return;
    throw new BatonError('cwd_missing', `The worktree of the session is gone: ${path}`, {
      hint: `If it was removed, restore it with "baton workspaces restore ${id}".`,
    });
  }

  async #prepareWorktree(): Promise<void> {
    const { home } = this.#options;
    if (this.#workspace?.kind !== 'worktree') return;
    const { workspace_id: id } = this.#workspace;
    const record = home.files.get(id);
    const isDone = record.state === 'ready' && record.setup?.exit_code === 0;
    if (UNPREPARED.has(record.state) && !isDone) await this.#setUp(record);
    await this.#update(home.files.change(id, { state: 'in_use', used_at: now() }));
  }

  /** The worktree to make: as requested, or as the project has it by default. */
  #wanted(): WorkspaceRequest | undefined {
    const { request, cwd } = this.#options;
    if (this.#workspace) return undefined;
    if (request) return request.kind === 'worktree' ? request : undefined;
    const canHave = isRepository(findRepository(cwd));
    return this.#settings.default === 'worktree' && canHave ? { kind: 'worktree' } : undefined;
  }

  /** Reads the settings of the project: only from the user's own folder, because the agent writes the worktree. */
  async #readSettings(folder: string): Promise<void> {
    if (!isFolder(folder)) return;
    const { user } = this.#options;
    const { settings, untrusted } = await loadWorkspaceSettings({ folder, user });
    this.#settings = settings;
    if (untrusted === undefined || this.#workspace) return;
    const message = `The workspace settings in ${untrusted} are not used, because the folder is not trusted. Trust it with "baton trust".`;
    await this.#options.onEvent({ type: 'notice', level: 'warning', code: 'workspace', message });
  }

  async #setUp(record: StoredWorkspace): Promise<void> {
    const { home, onEvent, runSetup, signal } = this.#options;
    const source = record.repository ?? this.#options.cwd;
    const settings = this.#settings;
    if (settings.setup) await this.#update({ ...record, state: 'setting_up' });
    try {
      const { setUpWorkspace } = await import('./set-up-workspace.ts');
      await setUpWorkspace({ home, record, settings, source, onEvent, runSetup, signal });
    } catch (error) {
      await this.#update(home.files.get(record.workspace_id));
      throw error;
    }
  }

  /** Uses the worktree with an id that the caller chose; false if it is not there yet. */
  async #joinWorktree(id: string | undefined): Promise<boolean> {
    const { home, cwd } = this.#options;
    if (id === undefined) return false;
    const { settledWorkspace } = await import('../worktree/reconcile.ts');
    const record = await settledWorkspace(home, id);
    if (!record) return false;
    const { UserRepository } = await import('../worktree/user-repository.ts');
    const { place, mainRoot } = UserRepository.find(home.git, cwd);
    if (record.repository !== mainRoot) {
      throw new BatonError('usage', `${record.path} is a worktree of another repository.`, {
        hint: `Give the worktree of ${mainRoot} another name.`,
      });
    }
    const folder = join(record.path, relative(place.root, realpathSync(cwd)));
    this.#workspace = { ...publicRecord(record), cwd: isFolder(folder) ? folder : record.path };
    return true;
  }

  async #createWorktree(request: WorkspaceRequest): Promise<void> {
    const { workspace_id, name, base, with_changes } = request;
    const { home, cwd, prompt, sessionId, createdBy, onEvent, signal } = this.#options;
    const { newWorktree } = await import('./new-worktree.ts');
    const { record, notices } = await newWorktree({
      home,
      settings: this.#settings,
      source: cwd,
      id: workspace_id,
      name: name ?? prompt,
      base,
      withChanges: with_changes,
      sessionId,
      createdBy,
      signal,
    });
    const { trustLike } = await import('./worktree-trust.ts');
    const { onWorktree = (path: string) => trustLike(cwd, path) } = this.#options;
    onWorktree(record.path);
    await this.#update(record);
    for (const { text: message } of notices) {
      await onEvent({ type: 'notice', level: 'warning', code: 'workspace', message });
    }
  }

  async #update(record: StoredWorkspace): Promise<void> {
    // Sessions that share a worktree may start in different folders of it.
    const { cwd = record.cwd } = this.#workspace ?? {};
    this.#workspace = { ...publicRecord(record), cwd };
    await this.#options.onEvent({ type: 'workspace.updated', workspace: this.#workspace });
  }

  /**
   * Reports the workspace of a session that works in place: at its first turn, and when the reason why its files cannot be
   * compared changes.
   */
  async reportInPlace(problem: string | null = null): Promise<void> {
    const known = this.#workspace;
    if (known && (known.kind === 'worktree' || known.problem === problem)) return;
    this.#workspace = { ...(known ?? (await this.#inPlace())), problem };
    await this.#options.onEvent({ type: 'workspace.updated', workspace: this.#workspace });
  }

  /** The record of a session that works in the user's own folder. */
  async #inPlace(): Promise<WorkspaceRecord> {
    const { home, cwd, sessionId, createdBy } = this.#options;
    const found = findRepository(cwd);
    const place = isRepository(found) ? found : undefined;
    // Without Git, its files are the agent's all the same.
    const facts = place && (await readHead(home.git, place).catch(() => undefined));
    const time = now();
    return {
      workspace_id: sessionId,
      kind: place ? 'in_place' : 'folder',
      state: 'in_use',
      host: hostname(),
      repository: place?.root ?? null,
      path: place?.root ?? cwd,
      cwd,
      branch: facts?.branch ?? null,
      base_ref: facts?.branch ?? null,
      base_commit: facts?.head ?? null,
      session_id: sessionId,
      created_by: createdBy ?? null,
      created_at: time,
      used_at: time,
      ports: {},
      setup: null,
      removed: null,
      problem: null,
    };
  }
}

function now(): string {
  return new Date().toISOString();
}

/** True for a folder that is there. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
