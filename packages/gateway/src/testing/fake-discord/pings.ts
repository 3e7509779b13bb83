/** Whom a message notifies. */
export type Pings = { everyone: boolean; roles: string[]; users: string[] };

export type AllowedMentions = {
  parse?: string[];
  users?: string[];
  roles?: string[];
  replied_user?: boolean;
};

type Message = {
  content: string;
  /** Omitted by the sender: every mention in the text counts. */
  allowed: AllowedMentions | undefined;
  repliedUserId: string | undefined;
};

/** Computes who would have been notified, by the rules of `allowed_mentions`. */
export function pingsOf({ content, allowed, repliedUserId }: Message): Pings {
  const allows = (kind: string) => allowed?.parse?.includes(kind) ?? allowed === undefined;
  const mentioned = (pattern: RegExp) => [
    ...new Set([...content.matchAll(pattern)].map((match) => match[1] ?? '')),
  ];
  const users = mentioned(/<@!?(\d+)>/g).filter(
    (id) => allows('users') || allowed?.users?.includes(id),
  );
  const roles = mentioned(/<@&(\d+)>/g).filter(
    (id) => allows('roles') || allowed?.roles?.includes(id),
  );
  // A reply notifies its author unless the sender says otherwise.
  const pingsAuthor = allowed === undefined ? true : (allowed.replied_user ?? false);
  if (repliedUserId !== undefined && pingsAuthor && !users.includes(repliedUserId)) {
    users.push(repliedUserId);
  }
  return { everyone: /@(everyone|here)/.test(content) && allows('everyone'), roles, users };
}
