import { execFileSync } from 'node:child_process';
import { chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol';
import type { Confine } from '@baton/runtime/internal';

type UnixUser = { name: string; uid: number; gid: number; home: string };

/** Lets an agent run as another user of this machine, with no way back. */
export function asUnixUser(name: string | null): Confine {
  if (process.getuid?.() !== 0) {
    throw new BatonError('config_invalid', 'Only root can start agents as another user.', {
      hint: 'Start the daemon as root, or set executors.isolation to bubblewrap.',
    });
  }
  const user = userNamed(name);
  return ({ file, args, files }) => {
    if (files !== undefined) giveTo(user, files);
    return {
      file: '/usr/bin/setpriv',
      args: [
        ...['--reuid', String(user.uid), '--regid', String(user.gid), '--init-groups'],
        ...['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--'],
        ...['/usr/bin/env', `HOME=${user.home}`, `USER=${user.name}`, `LOGNAME=${user.name}`],
        ...[file, ...args],
      ],
    };
  };
}

function userNamed(name: string | null): UnixUser {
  const [login, , uid, gid, , home] = passwdEntry(name);
  if (!login || Number(uid) === 0 || home === undefined) {
    throw new BatonError('config_invalid', `Invalid Unix user "${name}" for isolation.`, {
      hint: 'Set executors.unix_user to an account of this machine other than root.',
    });
  }
  return { name: login, uid: Number(uid), gid: Number(gid), home };
}

function passwdEntry(name: string | null): string[] {
  try {
    const args = ['passwd', '--', name ?? ''];
    return execFileSync('getent', args, { encoding: 'utf8' }).trim().split(':');
  } catch {
    return [];
  }
}

function giveTo({ uid, gid }: UnixUser, folder: string): void {
  for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))]) {
    chownSync(path, uid, gid);
  }
}
