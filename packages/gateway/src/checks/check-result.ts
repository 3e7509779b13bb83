import type { ErrorCode } from '@baton/protocol';

/** One line of `baton gateway check`. */
export type CheckResult = {
  /** Name of the check, such as `Discord token`. */
  readonly name: string;
  readonly ok: boolean;
  /** It is OK, but the user may want to change it. */
  readonly isWarning?: boolean | undefined;
  /** The error that the check ended with. */
  readonly code?: ErrorCode | undefined;
  /** Result of the check, as text. */
  readonly detail: string;
  /** Next step for the user, if it is not OK. */
  readonly hint?: string | undefined;
};
