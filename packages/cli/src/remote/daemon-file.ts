import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder } from '@baton/runtime';
import { type Parsed, textOf } from '../command.ts';
import { isAnswering } from './health.ts';

/** What a daemon that runs says of itself in its folder. */
export type DaemonFile = { url: string; pid: number; started_at: string };

/** The folder of the daemon on this machine. */
export function daemonFolder(parsed: Parsed): string {
  return textOf(parsed, 'folder') ?? join(homeFolder(), '.baton/daemon');
}

/** Says in its folder that a daemon runs; gives what takes it back at its end. */
export function writeDaemonFile(folder: string, url: string): () => void {
  const path = pathIn(folder);
  const content: DaemonFile = { url, pid: process.pid, started_at: new Date().toISOString() };
  const draft = `${path}.draft-${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  renameSync(draft, path);
  return () => {
    // On PostgreSQL several daemons may share a folder: the file is the last one's.
    if (readDaemonFile(folder)?.pid === process.pid) rmSync(path, { force: true });
  };
}

/** What a daemon wrote into its folder, if its process still lives. */
export function readDaemonFile(folder: string): DaemonFile | undefined {
  try {
    const { url, pid, started_at } = JSON.parse(readFileSync(pathIn(folder), 'utf8'));
    if (typeof url !== 'string' || !URL.canParse(url) || !isAlive(pid)) return undefined;
    return { url, pid, started_at: String(started_at) };
  } catch {
    return undefined;
  }
}

/** The daemon that runs in a folder: its process lives, and it answers. */
export async function runningDaemon(folder: string): Promise<DaemonFile | undefined> {
  const file = readDaemonFile(folder);
  // A number is used again: in a container this process may have the one that the last daemon had.
  if (!file || file.pid === process.pid) return undefined;
  return (await isAnswering(file.url)) ? file : undefined;
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
