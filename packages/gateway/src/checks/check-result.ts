/** One line of `baton gateway check`. */
export type CheckResult = {
  /** What was checked, such as `Discord token`. */
  readonly name: string;
  readonly ok: boolean;
  /** What was found. */
  readonly detail: string;
  /** What to do about it, if it is not OK. */
  readonly hint?: string | undefined;
};
