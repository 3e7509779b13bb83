import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '@baton/config/paths/atomic-file';
import { homeFolder } from '@baton/config/paths/home-folder';
import { type Parsed, textOf } from '../arguments/command.ts';

/** Address and process of a running daemon, stored in its folder. */
type DaemonFile = { url: string; pid: number; started_at: string };

/** The folder of the daemon on this machine. */
export function daemonFolder(parsed: Parsed): string {
  return textOf(parsed, 'folder') ?? join(homeFolder(), '.baton/daemon');
}

/** Writes the address of a daemon to its folder; returns a function that removes it. */
export function writeDaemonFile(folder: string, url: string): () => void {
  const path = pathIn(folder);
  const content: DaemonFile = { url, pid: process.pid, started_at: new Date().toISOString() };
  writeFileAtomically(path, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  return () => {
    // It may be the word of another daemon by now.
    if (readDaemonFile(folder)?.pid === process.pid) rmSync(path, { force: true });
  };
}

/** Reads the file of a daemon, if its process is still alive. */
export function readDaemonFile(folder: string): DaemonFile | undefined {
  try {
    const { url, pid, started_at } = JSON.parse(readFileSync(pathIn(folder), 'utf8'));
    if (typeof url !== 'string' || !URL.canParse(url) || !isAlive(pid)) return undefined;
    return { url, pid, started_at: String(started_at) };
  } catch {
    return undefined;
  }
}

function pathIn(folder: string): string {
  return join(folder, 'daemon.json');
}

function isAlive(pid: unknown): boolean {
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
