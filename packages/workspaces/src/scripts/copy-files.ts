import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { platform } from 'node:process';
import { isInside } from '@baton/config/paths/is-inside';
import { findBinary } from '@baton/process';
import { BatonError } from '@baton/protocol/values';
import { diskFull, withDiskErrors } from '../git/disk-errors.ts';

export type CopiedFiles = {
  copied: readonly string[];
  /** Files that the source does not have or the workspace already has. */
  skipped: readonly string[];
};

/**
 * Copies files that Git does not have, such as `.env`, from the source folder into a workspace. Rejects a path that leads
 * out of either of them, also over a link.
 */
export async function copyFiles(
  paths: readonly string[],
  { source, target, signal }: { source: string; target: string; signal?: AbortSignal | undefined },
): Promise<CopiedFiles> {
  const copied: string[] = [];
  const skipped: string[] = [];
  for (const path of paths) {
    checkPath(source, path);
    checkPath(target, path);
  }
  for (const path of paths) {
    const [from, to] = [join(source, path), join(target, path)];
    const isThere = lstatSync(from, { throwIfNoEntry: false }) !== undefined;
    if (!isThere || lstatSync(to, { throwIfNoEntry: false })) {
      skipped.push(path);
      continue;
    }
    await withDiskErrors(() => copyAtomically(from, to, signal));
    copied.push(path);
  }
  return { copied, skipped };
}

/** Rejects a path that is not inside a folder, links followed, or that is in its Git directory. */
export function checkPath(folder: string, path: string): void {
  const way = relative(resolve(folder), resolve(folder, path));
  const isGit = way.split('/').some((part) => part.toLowerCase() === '.git');
  if (isInside(folder, path) && !isGit && !path.startsWith('/')) return;
  throw new BatonError('config_invalid', `"${path}" is not a path inside of ${folder}.`, {
    hint: 'Use a relative path of a file in the project that is no link to a place outside.',
  });
}

/** Copies a file or folder; links stay links. Shares the blocks on the disk if the file system can. */
export async function copyTree(from: string, to: string, signal?: AbortSignal): Promise<void> {
  const cp = findBinary({ name: 'cp' }, { cwd: dirname(from), env: process.env }).path;
  const flags = platform === 'linux' ? ['-a', '--reflink=auto'] : ['-a'];
  const child = spawn(cp, [...flags, '--', from, to], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    ...(signal ? { signal } : {}),
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < 4096) stderr += chunk;
  });
  const ended = Promise.withResolvers<number | null>();
  child.once('error', ended.reject);
  child.once('close', ended.resolve);
  if ((await ended.promise) === 0) return;
  const problem = new BatonError('internal', `Cannot copy ${from}: ${stderr.trim()}`);
  throw /No space left on device|Disk quota exceeded/.test(stderr) ? diskFull(problem) : problem;
}

/** Copies a file or folder; a crash or a full disk never leaves half of it under its name. */
export async function copyAtomically(
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<void> {
  mkdirSync(dirname(to), { recursive: true });
  const draft = `${to}.${randomUUID()}.tmp`;
  try {
    await copyTree(from, draft, signal);
    renameSync(draft, to);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
