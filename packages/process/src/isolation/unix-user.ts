import { lchownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import { type UnixAccount, unixAccount } from '../unix-account.ts';
import { type Confine, splitEnvironment } from './confine.ts';

/** Script that enters the folder in its first argument, and becomes the command in the others. */
const ENTER = 'cd -- "$0" && exec "$@"';

/** Lets an agent run as another user of this machine, with no way back. */
export function asUnixUser(name: string | null): Confine {
  if (process.getuid?.() !== 0) {
    throw new BatonError('config_invalid', 'Only root can start agents as another user.', {
      hint: 'Start the daemon as root, or set executors.isolation to bubblewrap.',
    });
  }
  const user = unixAccount(name);
  return ({ file, args, cwd, env, files }) => {
    if (files !== undefined) giveTo(user, files);
    const { outside, inside } = splitEnvironment(env);
    return {
      ...(outside ? { env: outside } : {}),
      // The user enters the folder, not root, who would follow a link to where the user may not go.
      cwd: '/',
      file: '/usr/bin/setpriv',
      args: [
        ...['--reuid', String(user.uid), '--regid', String(user.gid), '--init-groups'],
        ...['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--'],
        ...['/usr/bin/env', `HOME=${user.home}`, `USER=${user.name}`, `LOGNAME=${user.name}`],
        `PWD=${cwd}`,
        ...inside.map(([name, value]) => `${name}=${value}`),
        ...['/bin/sh', '-c', ENTER, cwd, file, ...args],
      ],
    };
  };
}

/** Gives a folder of private files to the user, once: from then on the user may put links in its place. */
function giveTo({ uid, gid }: UnixAccount, folder: string): void {
  if (lstatSync(folder).uid !== process.getuid?.()) return;
  // The folder comes last, so that nobody can exchange a file before.
  for (const path of [...readdirSync(folder).map((name) => join(folder, name)), folder]) {
    lchownSync(path, uid, gid);
  }
}
