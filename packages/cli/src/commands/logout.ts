import { BatonClient } from '@baton/client';
import { BatonError } from '@baton/protocol/values';
import type { Command, Parsed } from '../arguments/command.ts';
import { daemonAddress, remoteSettings } from '../remote/address.ts';
import { isAnswering } from '../remote/health.ts';
import { forgetToken, keptToken } from '../remote/kept-tokens.ts';
import { DAEMON_OPTIONS } from '../remote/with-daemon.ts';

export const logout: Command = {
  name: 'logout',
  summary: 'Log out of a daemon. Revokes the login and deletes the stored credentials.',
  usage: 'baton logout',
  optionsOnly: true,
  options: DAEMON_OPTIONS,
  run: logOut,
};

async function logOut(parsed: Parsed): Promise<number> {
  const url = daemonAddress(remoteSettings(logout, parsed), parsed);
  const token = keptToken(url);
  if (token === undefined) {
    process.stdout.write(`Not logged in to ${url}.\n`);
    return 0;
  }
  const isRevoked = await revoke(url, token);
  forgetToken(url);
  process.stdout.write(`Logged out of ${url}.\n`);
  if (!isRevoked) {
    process.stderr.write(
      'warning: The daemon is unreachable. The stored credentials were deleted, but the login was not revoked.\n',
    );
  }
  return 0;
}

async function revoke(url: string, token: string): Promise<boolean> {
  if (!(await isAnswering(url))) return false;
  const client = new BatonClient({ url, token });
  try {
    await client.authentication.remove();
    return true;
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    // It was void already.
    return error.code === 'unauthenticated';
  } finally {
    client.close();
  }
}
