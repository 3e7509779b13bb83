import type { AccessRules, Sender } from './config/access.ts';
import type { GatewayEvent, ReceivedFile } from './queue/gateway-event.ts';
import type { MentionRules } from './text/mentions.ts';

/** Limits of a platform. The gateway splits, throttles and lays out by these numbers; no other place knows them. */
export type ChannelLimits = {
  /** The longest message, in UTF-16 units. */
  readonly messageLength: number;
  /** The shortest time between two messages in a channel. */
  readonly sendIntervalMs: number;
  /** The shortest time between two edits in a channel. */
  readonly editIntervalMs: number;
  /** Duration of a typing indicator; 0 where there is none. */
  readonly typingMs: number;
  /** The largest file that can be sent and downloaded; 0 where files are not supported. */
  readonly sentFileBytes: number;
  readonly receivedFileBytes: number;
  /** 0 where there are no buttons. */
  readonly buttonsPerRow: number;
  readonly buttonRows: number;
  readonly buttonLabelLength: number;
  /** The longest value of a button, in bytes. */
  readonly buttonValueBytes: number;
  /** Time limit of the platform for the acknowledgement of a press. */
  readonly acknowledgeMs: number;
};

/** A message as it arrives, before the gateway has checked who sent it. */
export type IncomingMessage = GatewayEvent &
  Sender & {
    /**
     * False in a channel of several people if the message neither mentions the bot nor replies to it; in threads and direct
     * messages, every message is meant for the bot.
     */
    readonly isAddressed?: boolean | undefined;
  };

export type ButtonStyle = 'primary' | 'secondary' | 'danger';

export type Button = {
  readonly label: string;
  /** Returned by the press. */
  readonly value: string;
  readonly style: ButtonStyle;
};

/** A press as it arrives, before the gateway has checked who pressed. */
export type ButtonPress = Sender & {
  /** The message that has the button. */
  readonly messageId: string;
  readonly value: string;
  /** Call this within `acknowledgeMs`. Only the user who pressed sees the text. */
  acknowledge(text?: string): Promise<void>;
};

/** A command as it arrives from a platform that has commands of its own, before the gateway has checked who sent it. */
export type IncomingCommand = Sender & {
  /** Without the slash, such as `stop`. */
  readonly name: string;
  readonly argument: string;
  /** Call this once, within `acknowledgeMs`. */
  respond(text: string, options?: { onlyToUser?: boolean | undefined }): Promise<void>;
};

/** A command that the gateway has: platforms with a list of commands show it there. */
export type CommandDescription = {
  readonly name: string;
  readonly about: string;
  /** Description of the argument, if it takes one. It can be omitted. */
  readonly argument?: string | undefined;
};

export type SentFile = {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
};

/** A message to a channel, within the limits of the platform. */
export type OutgoingMessage = {
  readonly text: string;
  readonly buttons?: readonly (readonly Button[])[] | undefined;
  readonly files?: readonly SentFile[] | undefined;
  /** The message that this one answers. */
  readonly replyTo?: string | undefined;
  /** True while the text may still change: a platform that cannot edit shows only the final one. */
  readonly isDraft?: boolean | undefined;
};

/** Callbacks of an adapter. It passes the messages of a channel in order, each after the previous one was accepted. */
export type ChannelReceiver = {
  /** The commands of the gateway. */
  readonly commands: readonly CommandDescription[];
  /** True if messages of a sender are accepted; others are ignored. For platforms that identify the sender. */
  allows(sender: Sender): boolean;
  /** Rejects if the message could not be stored; it is fetched again later. */
  onMessage(message: IncomingMessage): Promise<void>;
  /** Never rejects. */
  onPress(press: ButtonPress): Promise<void>;
  /** Never rejects. */
  onCommand(command: IncomingCommand): Promise<void>;
  /**
   * Called after the connection was lost for so long that messages may be missing: the gateway calls `messagesAfter`
   * again.
   */
  onGap(): void;
  /** The adapter has ended for good, such as a terminal at the end of its input, or failed for good with an error. */
  onEnd(error?: Error): void;
};

/**
 * Connects the gateway to one chat platform. Ids that it takes and returns name the platform, such as `discord:1234`,
 * except those of messages. It handles rate limits of the platform itself and waits as long as the platform says.
 */
export interface ChannelAdapter {
  /** The first part of its ids. */
  readonly platform: string;
  readonly limits: ChannelLimits;
  readonly mentions: MentionRules;
  /**
   * The last message of each channel that the rules allow, where the platform can list channels; called before `start`
   * with the last messages that the gateway knows. Messages that follow it are fetched later, even if the gateway has
   * never got a message from the channel. A channel that was created while the gateway was down begins at its beginning.
   */
  heads?(
    access: Pick<AccessRules, 'guilds' | 'channels'>,
    known: ReadonlyMap<string, string>,
  ): Promise<ReadonlyMap<string, string>>;
  /** Connects, and resolves when messages can be sent. */
  start(receiver: ChannelReceiver): Promise<void>;
  /**
   * Returns the messages after a given one, oldest first. Called at startup and after a gap, for messages sent
   * meanwhile. Messages of bots are omitted.
   */
  messagesAfter(channelId: string, messageId: string): AsyncIterable<IncomingMessage>;
  /** Sends a message and returns its id. A message with a nonce that was sent before is not shown again. */
  send(channelId: string, message: OutgoingMessage, nonce: string): Promise<string>;
  /** Replaces text and buttons of a message that the gateway sent. */
  edit(
    channelId: string,
    messageId: string,
    message: Pick<OutgoingMessage, 'text' | 'buttons' | 'isDraft'>,
  ): Promise<void>;
  /** Shows that the agent works, for `typingMs`. */
  showTyping(channelId: string): Promise<void>;
  /** Called when a message has ended: its result is stored. */
  onSettled?(channelId: string, messageId: string): void;
  download(file: ReceivedFile): Promise<Uint8Array>;
  /** Disconnects. Sends and edits that were called before are completed or rejected first. */
  stop(): Promise<void>;
}
