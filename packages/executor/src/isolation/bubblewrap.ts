import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, extname, join } from 'node:path';
import { BatonError } from '@baton/protocol';
import type { Confine } from '@baton/runtime';

export type Sandbox = {
  network: boolean;
  /** What the agent may write beside its folder. */
  writable: readonly string[];
  /** What it must not even see. */
  hidden: readonly string[];
  /** What it may read although it lies in there. */
  readable?: string | undefined;
};

/** Lets an agent see this machine read-only, write its folder and its own state, and see no other process. */
export function bubblewrap({ network, writable, hidden, readable }: Sandbox): Confine {
  const program = programPath('bwrap');
  for (const path of writable) makeFolder(path);
  const own = writable.filter((path) => kindOf(path) !== undefined);
  return ({ file, args, cwd, files }) => ({
    file: program,
    args: [
      ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--cap-drop', 'ALL'],
      ...(network ? [] : ['--unshare-net']),
      ...['--ro-bind', '/', '/'],
      ...inOrder([
        ['--dev', '/dev'],
        ['--proc', '/proc'],
        ...[...new Set(['/tmp', tmpdir()])].map((path) => ['--tmpfs', path]),
        ...hidden.flatMap(hiding),
        ...[...own, cwd].map((path) => ['--bind', path, path]),
        ...[files, readable].flatMap((path) => (path ? [['--ro-bind-try', path, path]] : [])),
      ]),
      ...['--chdir', cwd, '--', file, ...args],
    ],
  });
}

/** What lies deeper comes later: a folder must not show again what is hidden in it. */
function inOrder(mounts: readonly (readonly string[])[]): string[] {
  const depth = (mount: readonly string[]) => mount.at(-1)?.split('/').filter(Boolean).length ?? 0;
  return mounts.toSorted((a, b) => depth(a) - depth(b)).flat();
}

function hiding(path: string): string[][] {
  const kind = kindOf(path);
  if (kind === undefined) return [];
  return [kind === 'folder' ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]];
}

function kindOf(path: string): 'folder' | 'file' | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  return found.isDirectory() ? 'folder' : 'file';
}

/** An agent that starts for the first time could not make its folder in there. */
function makeFolder(path: string): void {
  if (extname(path) === '' && kindOf(path) === undefined) mkdirSync(path, { recursive: true });
}

function programPath(name: string): string {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable);
  if (found) return found;
  throw new BatonError('config_invalid', `Agents are to be confined, but there is no ${name}.`, {
    hint: 'Install bubblewrap (apt-get install bubblewrap), or set executors.isolation to none.',
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
