import type { ErrorCode } from '@baton/protocol';

/** One line of `baton gateway check`. */
export type CheckResult = {
  /** What was checked, such as `Discord token`. */
  readonly name: string;
  readonly ok: boolean;
  /** It is OK, but the user may want to change it. */
  readonly isWarning?: boolean | undefined;
  /** The error that the check ended with. */
  readonly code?: ErrorCode | undefined;
  /** What was found. */
  readonly detail: string;
  /** What to do about it, if it is not OK. */
  readonly hint?: string | undefined;
};
