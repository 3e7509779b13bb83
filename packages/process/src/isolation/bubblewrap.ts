import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { isInside } from '@baton/config/paths/is-inside';
import { BatonError } from '@baton/protocol/values';
import { findBinary } from '../find-binary.ts';
import { type Confine, splitEnvironment } from './confine.ts';

type Sandbox = {
  network: boolean;
  /** Paths that the agent may write besides its folder. */
  writable: readonly string[];
  /** Paths that the agent must not even see. */
  hidden: readonly string[];
  /** A path inside the hidden ones that the agent may read. */
  readable?: string | undefined;
};

/** Variables that lead to other programs of the user. */
const DOORS = ['SSH_AUTH_SOCK', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'DOCKER_HOST'];
/** Folders of the name service, needed to resolve host names. */
const NAME_SERVICE = ['/run/systemd/resolve', '/run/resolvconf', '/run/nscd'];

/**
 * Paths that stay read-only in a new /proc. Its files belong to root, and an agent of root needs no capability to write
 * them: `kernel/core_pattern` alone would run any program outside of the sandbox.
 */
const READ_ONLY_PROC = [
  ...['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi'],
  ...['driver', 'mtrr', 'pressure'],
].map((name) => `/proc/${name}`);

/** Lets an agent see this machine read-only, write its folder and its own state, and see no other process. */
export function bubblewrap({ network, writable, hidden, readable }: Sandbox): Confine {
  for (const path of writable) makeFolder(path);
  const own = existing(writable);
  const secret = existing(hidden);
  const temporary = [...new Set(['/tmp', realpathSync(tmpdir())])];
  return ({ file, args, cwd: given, env, files }) => {
    const { outside, inside } = splitEnvironment(env);
    // A link could not be made again in there.
    const cwd = realpathSync(given);
    const program = bwrapFor(cwd);
    const isHidden = secret.some((path) => isInside(path, cwd, { orEqual: true, inDoubt: true }));
    if (isHidden) throw notThere(cwd);
    const programs = [file, process.execPath, import.meta.dirname];
    return {
      ...(outside ? { env: outside } : {}),
      file: program,
      args: [
        ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
        ...['--unshare-cgroup-try', '--cap-drop', 'ALL'],
        ...(network ? [] : ['--unshare-net']),
        ...DOORS.flatMap((name) => ['--unsetenv', name]),
        ...inside.flatMap(([name, value]) => ['--setenv', name, value]),
        ...['--ro-bind', '/', '/'],
        ...inOrder([
          ['--dev', '/dev'],
          ['--proc', '/proc'],
          ...existing(READ_ONLY_PROC).map((path) => ['--ro-bind', path, path]),
          // Sockets of other programs are there, which would do for an agent what it may not do itself.
          ...['/run', ...temporary].map((path) => ['--tmpfs', path]),
          ...NAME_SERVICE.map((path) => ['--ro-bind-try', path, path]),
          ...shownIn(temporary, programs).map((path) => ['--ro-bind', path, path]),
          ...secret.map(hiding),
          ...[...own, cwd].map((path) => ['--bind', path, path]),
          ...[files, readable].flatMap((path) => (path ? [['--ro-bind-try', path, path]] : [])),
        ]),
        ...['--chdir', cwd, '--', file, ...args],
      ],
    };
  };
}

/** Programs installed in the temporary folder must stay visible. */
function shownIn(folders: readonly string[], programs: readonly string[]): string[] {
  const shown = folders.flatMap((folder) =>
    programs
      .filter((path) => path.startsWith(`${folder}/`))
      .map((path) => join(folder, path.slice(folder.length + 1).split('/')[0] ?? '')),
  );
  return [...new Set(shown)];
}

/** Sorts mounts by depth, deepest last: mounting a folder must not reveal a path that is hidden in it. */
function inOrder(mounts: readonly (readonly string[])[]): string[] {
  const depth = (mount: readonly string[]) => mount.at(-1)?.split('/').filter(Boolean).length ?? 0;
  return mounts.toSorted((a, b) => depth(a) - depth(b)).flat();
}

function hiding(path: string): string[] {
  return kindOf(path) === 'folder' ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
}

/** Returns the existing paths with symbolic links resolved, because links cannot be mounted over. */
function existing(paths: readonly string[]): string[] {
  return paths.filter((path) => kindOf(path) !== undefined).map((path) => realpathSync(path));
}

function notThere(cwd: string): BatonError {
  return new BatonError('usage', `Sandboxed agents cannot work in ${cwd}.`, {
    hint: 'It belongs to the daemon or to another agent: choose another folder for the session.',
  });
}

function kindOf(path: string): 'folder' | 'file' | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  return found.isDirectory() ? 'folder' : 'file';
}

/** Creates a missing folder: an agent that starts for the first time could not create it inside the sandbox. */
function makeFolder(path: string): void {
  if (extname(path) === '' && kindOf(path) === undefined) mkdirSync(path, { recursive: true });
}

/** Finds bwrap, but never one in the session's folder, which would run outside of the sandbox. */
function bwrapFor(cwd: string): string {
  try {
    return findBinary({ name: 'bwrap' }, { cwd, env: process.env }).path;
  } catch (cause) {
    throw new BatonError(
      'config_invalid',
      'Isolation is set to bubblewrap, but bwrap was not found.',
      {
        hint: 'Install bubblewrap (apt-get install bubblewrap), or set executors.isolation to none.',
        cause,
      },
    );
  }
}
