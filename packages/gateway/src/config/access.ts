/**
 * Users and places that may talk to the agent. Ids name their platform, such as `discord:1234`. Nothing is allowed by
 * default.
 */
export type AccessRules = {
  readonly users: readonly string[];
  readonly guilds: readonly string[];
  readonly channels: readonly string[];
  readonly directMessages: boolean;
};

/** Sender of a message or a button press, with its channel. */
export type Sender = {
  readonly userId: string;
  /** The name that others see. */
  readonly userName?: string | undefined;
  readonly channelId: string;
  /** The channel that a thread belongs to. */
  readonly parentId?: string | undefined;
  /** The server that the channel belongs to; a direct message has none. */
  readonly guildId?: string | undefined;
  readonly isDirect: boolean;
};

/**
 * True if the gateway responds to a sender: the user must be allowed, and so must the place. A place is allowed if its
 * server or its channel is, a thread also if its parent channel is; direct messages have their own switch.
 */
export function isAllowed(rules: AccessRules, sender: Sender): boolean {
  if (!rules.users.includes(sender.userId)) return false;
  if (sender.isDirect) return rules.directMessages;
  const { channelId, parentId = channelId } = sender;
  if (rules.channels.includes(channelId) || rules.channels.includes(parentId)) return true;
  return sender.guildId !== undefined && rules.guilds.includes(sender.guildId);
}
