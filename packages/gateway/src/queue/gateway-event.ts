import type { Usage } from '@baton/protocol';

/** A file that a user sent. Its content stays on the platform until the agent needs it. */
export type ReceivedFile = {
  /** The platform's id or URL of the file. */
  readonly source: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
};

/** A message to the agent. */
export type GatewayEvent = {
  /** Unique across platforms, such as `discord:1234`. */
  readonly channelId: string;
  /** The platform's own id: a message that arrives twice is accepted once. */
  readonly messageId: string;
  readonly userId: string;
  readonly text: string;
  readonly files: readonly ReceivedFile[];
};

/** Result of a message. */
export type EventResult = {
  readonly responseText?: string | undefined;
  readonly targetChannelId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly error?: string | undefined;
  /** Set with `error` when the message can be run again, but only if a user asks for it: the agent may have acted. */
  readonly offerRetry?: boolean | undefined;
  /** New text of the draft if the answer is sent below it, because requests came in between. */
  readonly draftText?: string | undefined;
  /** Usage of the run. */
  readonly usage?: Usage | undefined;
};
