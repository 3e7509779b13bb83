import { execFileSync } from 'node:child_process';
import { BatonError } from '@baton/protocol/values';

export type UnixAccount = { name: string; uid: number; gid: number; home: string };

/** The account of this machine that confined agents run as; throws for none and for root. */
export function unixAccount(name: string | null): UnixAccount {
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
