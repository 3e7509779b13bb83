import type { PageQuery } from './records.ts';

/** What somebody may do; each role may do all that the ones before it may. */
export type Role = 'viewer' | 'member' | 'owner';

/** A person or program that may log in. */
export type UserRecord = {
  user_id: string;
  name: string;
  role: Role;
  /** Others log in with a one-time link. */
  has_password: boolean;
  disabled: boolean;
  created_at: string;
};
/** A user who is to be added. */
export type NewUser = { name: string; role: Role };
/** What can be changed in a user: the own password, or by an owner anything. */
export type UserPatch = {
  name?: string | undefined;
  role?: Role | undefined;
  password?: string | undefined;
  /** Whoever has a password gives it to choose another one. */
  current_password?: string | undefined;
  disabled?: boolean | undefined;
};
/** A token, and whose it is. */
export type Login = { accessToken: string; user: UserRecord };
/** The secret of a link that lets somebody in once; it stands behind `#link=` in an address. */
export type LinkSecret = { link_secret: string };

/** A token for scripts; its secret is not shown again. */
export type TokenRecord = {
  token_id: string;
  name: string;
  /** It never allows more than its user may do. */
  role: Role;
  created_at: string;
  /** Nothing when it stays good. */
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
};
/** A token that is to be made. */
export type NewToken = {
  name: string;
  /** A member unless told otherwise. */
  role?: Role | undefined;
  /** For ever without it. */
  life_days?: number | undefined;
};

/** What is allowed or denied without asking, in a session or a folder. */
export type RuleRecord = {
  rule_id: string;
  /** Either this or a folder. */
  session_id: string | null;
  folder: string | null;
  tool: string;
  /** What it is for, with * for anything; every use of the tool without it. */
  pattern: string | null;
  decision: 'allow' | 'deny';
  created_by: string | null;
  created_at: string;
};
/** A rule that is to be added, for a session or, by an owner, for a folder. */
export type NewRule = {
  session_id?: string | undefined;
  folder?: string | undefined;
  tool: string;
  pattern?: string | null | undefined;
  decision: 'allow' | 'deny';
};
/** Which rules. */
export type RuleQuery = PageQuery & { session_id?: string; folder?: string };
