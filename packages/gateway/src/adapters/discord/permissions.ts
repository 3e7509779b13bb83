/** The permission bits that the gateway needs or that change the computation of others. */
export const PERMISSION = {
  administrator: 1n << 3n,
  viewChannel: 1n << 10n,
  sendMessages: 1n << 11n,
  attachFiles: 1n << 15n,
  readMessageHistory: 1n << 16n,
  sendMessagesInThreads: 1n << 38n,
} as const;

const ALL = (1n << 64n) - 1n;

type Permissions = {
  readonly guild: {
    readonly id: string;
    readonly ownerId: string;
    readonly roles: readonly { readonly id: string; readonly permissions: bigint }[];
  };
  readonly member: {
    readonly userId: string;
    readonly roleIds: readonly string[];
    readonly isTimedOut?: boolean | undefined;
  };
  /** True if the channel is a thread, which has a permission of its own for sending. */
  readonly isThread?: boolean | undefined;
  /** Overwrites of the channel; for a thread, of its parent channel. */
  readonly overwrites: readonly PermissionOverwrite[];
};

export type PermissionOverwrite = {
  /** The id of a role or of a user. */
  readonly id: string;
  readonly allow: bigint;
  readonly deny: bigint;
};

/**
 * The permissions of a member in a channel. Overwrites of the channel are applied from the most general to the most
 * specific: everyone, roles (all at once, an allowed permission wins), the member.
 */
export function channelPermissions(facts: Permissions): bigint {
  const { guild, member, overwrites } = facts;
  const base = guildPermissions(facts);
  if (base === ALL) return ALL;
  const find = (id: string) => overwrites.filter((overwrite) => overwrite.id === id);
  // The id of the role of everyone is that of the server.
  let permissions = apply(base, find(guild.id));
  permissions = apply(permissions, member.roleIds.filter((id) => id !== guild.id).flatMap(find));
  permissions = apply(permissions, find(member.userId));
  return effective(permissions, facts);
}

function guildPermissions({ guild, member }: Pick<Permissions, 'guild' | 'member'>): bigint {
  if (guild.ownerId === member.userId) return ALL;
  const permissions = guild.roles
    .filter(({ id }) => id === guild.id || member.roleIds.includes(id))
    .reduce((sum, role) => sum | role.permissions, 0n);
  return has(permissions, PERMISSION.administrator) ? ALL : permissions;
}

function apply(permissions: bigint, overwrites: readonly PermissionOverwrite[]): bigint {
  const allow = overwrites.reduce((sum, overwrite) => sum | overwrite.allow, 0n);
  const deny = overwrites.reduce((sum, overwrite) => sum | overwrite.deny, 0n);
  return (permissions & ~deny) | allow;
}

/** Removes permissions that have no effect without another one. */
function effective(permissions: bigint, { member, isThread }: Permissions): bigint {
  if (!has(permissions, PERMISSION.viewChannel)) return 0n;
  if (member.isTimedOut) {
    return permissions & (PERMISSION.viewChannel | PERMISSION.readMessageHistory);
  }
  const send = isThread ? PERMISSION.sendMessagesInThreads : PERMISSION.sendMessages;
  return has(permissions, send) ? permissions : permissions & ~PERMISSION.attachFiles;
}

export function has(permissions: bigint, permission: bigint): boolean {
  return (permissions & permission) === permission;
}
