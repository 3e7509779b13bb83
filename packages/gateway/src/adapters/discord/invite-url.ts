import { PERMISSION } from './permissions.ts';

/** Permissions that the bot needs in a channel, by the name that Discord shows. */
export const NEEDED_PERMISSIONS: readonly (readonly [name: string, bit: bigint])[] = [
  ['View Channel', PERMISSION.viewChannel],
  ['Send Messages', PERMISSION.sendMessages],
  ['Attach Files', PERMISSION.attachFiles],
  ['Read Message History', PERMISSION.readMessageHistory],
];

/** The page on which the owner of a server adds the bot, with the permissions and scopes that the gateway needs. */
export function inviteUrl(applicationId: string): string {
  const permissions = NEEDED_PERMISSIONS.reduce(
    (sum, [, bit]) => sum | bit,
    PERMISSION.sendMessagesInThreads,
  );
  const url = new URL('https://discord.com/oauth2/authorize');
  url.searchParams.set('client_id', applicationId);
  url.searchParams.set('permissions', String(permissions));
  url.searchParams.set('scope', 'bot applications.commands');
  return url.href;
}
