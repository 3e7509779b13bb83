import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder } from '@baton/runtime/internal';
import { type Parsed, textOf } from '../arguments/command.ts';

/** What a daemon that runs says of itself in its folder. */
export type DaemonFile = { url: string; pid: number; started_at: string };

/** The folder of the daemon on this machine. */
export function daemonFolder(parsed: Parsed): string {
  return textOf(parsed, 'folder') ?? join(homeFolder(), '.baton/daemon');
}

/** Says in its folder where a daemon is; gives what takes it back at its end. */
export function writeDaemonFile(folder: string, url: string): () => void {
  const path = pathIn(folder);
  const content: DaemonFile = { url, pid: process.pid, started_at: new Date().toISOString() };
  const draft = `${path}.draft-${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  renameSync(draft, path);
  return () => {
    // It may be the word of another daemon by now.
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
