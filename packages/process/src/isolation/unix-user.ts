import { chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import { type UnixAccount, unixAccount } from '../unix-account.ts';
import { type Confine, splitEnvironment } from './confine.ts';

/** Lets an agent run as another user of this machine, with no way back. */
export function asUnixUser(name: string | null): Confine {
  if (process.getuid?.() !== 0) {
    throw new BatonError('config_invalid', 'Only root can start agents as another user.', {
      hint: 'Start the daemon as root, or set executors.isolation to bubblewrap.',
    });
  }
  const user = unixAccount(name);
  return ({ file, args, env, files }) => {
    if (files !== undefined) giveTo(user, files);
    const { outside, inside } = splitEnvironment(env);
    return {
      ...(outside ? { env: outside } : {}),
      file: '/usr/bin/setpriv',
      args: [
        ...['--reuid', String(user.uid), '--regid', String(user.gid), '--init-groups'],
        ...['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--'],
        ...['/usr/bin/env', `HOME=${user.home}`, `USER=${user.name}`, `LOGNAME=${user.name}`],
        ...inside.map(([name, value]) => `${name}=${value}`),
        ...[file, ...args],
      ],
    };
  };
}

function giveTo({ uid, gid }: UnixAccount, folder: string): void {
  for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))]) {
    chownSync(path, uid, gid);
  }
}
