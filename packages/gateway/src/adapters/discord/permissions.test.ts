import { describe, expect, test } from 'vitest';
import { inviteUrl } from './invite-url.ts';
import { channelPermissions, has, PERMISSION, type PermissionOverwrite } from './permissions.ts';

const GUILD = '100';
const BOT = '200';
const HELPERS = '300';
const READERS = '400';
const { viewChannel, sendMessages, attachFiles, readMessageHistory, administrator } = PERMISSION;
const USUAL = viewChannel | sendMessages | attachFiles | readMessageHistory;

describe('the permissions of the bot in a channel', () => {
  test('are those of everyone and of its roles together', () => {
    const permissions = compute({ everyone: viewChannel, helpers: sendMessages });
    expect(permissions).toBe(viewChannel | sendMessages);
  });

  test('do not include those of roles that it does not have', () => {
    const permissions = compute({ everyone: viewChannel, helpers: sendMessages, roleIds: [] });
    expect(permissions).toBe(viewChannel);
  });

  test('are reduced by an overwrite for everyone', () => {
    const permissions = compute({ overwrites: [overwrite(GUILD, { deny: sendMessages })] });
    expect(permissions).toBe(viewChannel | readMessageHistory);
  });

  test('are restored for a role that is allowed what everyone is denied', () => {
    const permissions = compute({
      overwrites: [
        overwrite(HELPERS, { allow: sendMessages }),
        overwrite(GUILD, { deny: sendMessages }),
      ],
    });
    expect(permissions).toBe(USUAL);
  });

  test('include what one role allows and another denies, in either order', () => {
    const overwrites = [
      overwrite(READERS, { deny: sendMessages }),
      overwrite(HELPERS, { allow: sendMessages }),
    ];
    const roleIds = [HELPERS, READERS];
    expect(compute({ roleIds, overwrites })).toBe(USUAL);
    expect(compute({ roleIds: roleIds.toReversed(), overwrites: overwrites.toReversed() })).toBe(
      USUAL,
    );
  });

  test('follow an overwrite for the bot itself before those for its roles', () => {
    const permissions = compute({
      overwrites: [
        overwrite(BOT, { deny: attachFiles }),
        overwrite(HELPERS, { allow: attachFiles }),
      ],
    });
    expect(has(permissions, attachFiles)).toBe(false);
    expect(has(permissions, sendMessages)).toBe(true);
  });

  test('ignore overwrites for others', () => {
    expect(compute({ overwrites: [overwrite('999', { deny: USUAL })] })).toBe(USUAL);
  });

  test('are none without the permission to view the channel', () => {
    expect(compute({ overwrites: [overwrite(BOT, { deny: viewChannel })] })).toBe(0n);
  });

  test('do not include files without the permission to send messages', () => {
    expect(compute({ everyone: viewChannel | attachFiles })).toBe(viewChannel);
  });

  test('are all for administrators and owners, whatever the overwrites say', () => {
    const overwrites = [overwrite(BOT, { deny: USUAL })];
    expect(has(compute({ helpers: administrator, overwrites }), USUAL)).toBe(true);
    expect(has(compute({ ownerId: BOT, overwrites, isTimedOut: true }), USUAL)).toBe(true);
  });

  test('are limited to reading during a timeout', () => {
    expect(compute({ isTimedOut: true })).toBe(viewChannel | readMessageHistory);
  });
});

test('the invite has the needed permissions and scopes', () => {
  const url = new URL(inviteUrl('1234'));
  expect(url.origin + url.pathname).toBe('https://discord.com/oauth2/authorize');
  expect(url.searchParams.get('client_id')).toBe('1234');
  expect(url.searchParams.get('scope')).toBe('bot applications.commands');
  const permissions = BigInt(url.searchParams.get('permissions') ?? '');
  expect(permissions).toBe(USUAL | PERMISSION.sendMessagesInThreads);
});

function compute(facts: {
  everyone?: bigint;
  helpers?: bigint;
  ownerId?: string;
  roleIds?: string[];
  isTimedOut?: boolean;
  overwrites?: PermissionOverwrite[];
}): bigint {
  const { everyone = facts.helpers === undefined ? USUAL : viewChannel, helpers = 0n } = facts;
  return channelPermissions({
    guild: {
      id: GUILD,
      ownerId: facts.ownerId ?? '1',
      roles: [
        { id: GUILD, permissions: everyone },
        { id: HELPERS, permissions: helpers },
        { id: READERS, permissions: 0n },
      ],
    },
    member: { userId: BOT, roleIds: facts.roleIds ?? [HELPERS], isTimedOut: facts.isTimedOut },
    overwrites: facts.overwrites ?? [],
  });
}

function overwrite(
  id: string,
  { allow = 0n, deny = 0n }: { allow?: bigint; deny?: bigint },
): PermissionOverwrite {
  return { id, allow, deny };
}
