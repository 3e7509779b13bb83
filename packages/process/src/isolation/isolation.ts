import { join, resolve } from 'node:path';
import { homeFolder } from '@baton/config/paths/home-folder';
import { isInside } from '@baton/config/paths/is-inside';
import { resolveLinks } from '@baton/config/paths/resolve-links';
import { BatonError } from '@baton/protocol/values';
import { bubblewrap } from './bubblewrap.ts';
import type { Confine, Environment } from './confine.ts';
import { asUnixUser } from './unix-user.ts';

/** Isolation settings of agents. */
export type Isolation = {
  mode: 'none' | 'bubblewrap' | 'user';
  /** True if a sandboxed agent may use the network, which most need to reach their provider. */
  network: boolean;
  unix_user: string | null;
  /** Paths that belong to the daemon. */
  hidden: readonly string[];
};

/** An agent of this machine, with the files and folders of its own state. */
export type AgentState = {
  id: string;
  ownPaths?(env: Environment): Promise<readonly string[]>;
};

export type Confined = {
  /** All agents of this machine: each may write its own state, and see that of no other. */
  backends: readonly AgentState[];
  /** The id of the agent's backend; omitted for a program of Baton, which needs the state of no agent. */
  backend?: string | undefined;
  /** A folder that the program may read besides its own. */
  readable?: string | undefined;
  /** Files and folders that the program may write besides its own. */
  writable?: readonly string[] | undefined;
};

/** Returns the wrapper that confines a program, such as the agent of a task; undefined if agents are trusted. */
export async function confinement(
  { mode, network, unix_user, hidden }: Isolation,
  { backends, backend, readable, writable = [] }: Confined,
): Promise<Confine | undefined> {
  if (mode === 'none') return undefined;
  // Executors are started from here, outside of any sandbox.
  const programs = [import.meta.dirname, process.execPath];
  const own = [...hidden, join(homeFolder(), '.baton'), ...programs];
  const guarded =
    (confine: Confine): Confine =>
    (command) => {
      checkFolder(command.cwd, own);
      return confine(command);
    };
  if (mode === 'user') return guarded(asUnixUser(unix_user));
  const all = await Promise.all(
    backends.map(async ({ id, ownPaths }) => ({
      id,
      paths: (await ownPaths?.(process.env)) ?? [],
    })),
  );
  const others = all.filter(({ id }) => id !== backend).flatMap(({ paths }) => paths);
  const sandbox = bubblewrap({
    network,
    readable,
    writable: [...(all.find(({ id }) => id === backend)?.paths ?? []), ...writable],
    hidden: [...hidden, join(homeFolder(), '.baton/credentials.json'), ...others],
  });
  return guarded(sandbox);
}

/** System folders. */
const SYSTEM = [
  ...['/proc', '/sys', '/dev', '/run', '/boot', '/etc'],
  ...['/bin', '/sbin', '/lib', '/lib64', '/usr/bin', '/usr/sbin', '/usr/lib'],
];

/**
 * Rejects a folder that is part of the system or contains Baton's own files, because the agent may write its folder.
 */
function checkFolder(folder: string, own: readonly string[]): void {
  const why = problemOf(folder, own);
  if (why === undefined) return;
  throw new BatonError('usage', `A sandboxed agent cannot work in ${folder}: ${why}.`, {
    hint: 'Create the session in another folder, such as a project folder.',
  });
}

function problemOf(folder: string, own: readonly string[]): string | undefined {
  const real = resolveLinks('/', resolve(folder));
  if (real === '/') return 'it is the root folder';
  const baton = own.find((path) => isInside(folder, path, { orEqual: true, inDoubt: true }));
  if (baton !== undefined) return `it contains Baton's own folder, ${baton}`;
  const system = SYSTEM.find(
    (path) =>
      isInside(folder, path, { orEqual: true, inDoubt: true }) ||
      isInside(path, folder, { orEqual: true, inDoubt: true }),
  );
  if (system !== undefined) return `it is or contains the system folder ${system}`;
  // Sessions keep the real path of their folder: the agent of another session may have made a link of it since.
  if (real !== resolve(folder)) return `it is now a symbolic link to ${real ?? 'nothing'}`;
  return undefined;
}
