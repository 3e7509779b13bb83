import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { findRepository, isRepository } from '../git/repository.ts';
import { keyOf } from '../snapshot/private-repository.ts';
import { isOwnerAlive, thisProcess, type WorkspaceOwner } from './workspace-owner.ts';

/** A session whose agent works in a folder right now, and the process that runs it. */
export type FolderSession = WorkspaceOwner & {
  session_id: string;
  /** ISO 8601. */
  started_at: string;
};

/** Sessions that work on this machine, one file each in a folder per place; the file of a process that is gone is void. */
export class FolderSessions {
  #stateFolder: string;

  constructor({ stateFolder }: { stateFolder: string }) {
    this.#stateFolder = stateFolder;
  }

  /** Records a session in the folder until the returned function is called, or this process ends. */
  enter(folder: string, sessionId: string): () => void {
    const place = this.#place(folder);
    const path = join(place, `${randomUUID()}.json`);
    const session: FolderSession = {
      ...thisProcess(),
      session_id: sessionId,
      started_at: new Date().toISOString(),
    };
    try {
      mkdirSync(place, { recursive: true, mode: 0o700 });
      writeFileSync(path, JSON.stringify(session), { mode: 0o600 });
    } catch {
      // The record only warns others: a full disk is reported where it matters.
    }
    return () => rmSync(path, { force: true });
  }

  /** The sessions that work in the repository of a folder, or in the folder itself if it has none; oldest first. */
  in(folder: string): FolderSession[] {
    if (!existsSync(folder)) return [];
    const place = this.#place(folder);
    const found = namesIn(place).flatMap((name) => livingIn(join(place, name)) ?? []);
    return found.sort((a, b) => a.started_at.localeCompare(b.started_at));
  }

  #place(folder: string): string {
    const found = findRepository(folder);
    const root = isRepository(found) ? found.root : realpathSync(folder);
    return join(this.#stateFolder, 'sessions', keyOf(root));
  }
}

function livingIn(path: string): FolderSession | undefined {
  try {
    const session = JSON.parse(readFileSync(path, 'utf8')) as FolderSession;
    if (isOwnerAlive({ owner: session })) return session;
    rmSync(path, { force: true });
  } catch {
    // Its session has just begun or ended.
  }
  return undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
