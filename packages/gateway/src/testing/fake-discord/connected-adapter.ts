import { DiscordAdapter } from '../../adapters/discord/discord-adapter.ts';
import type {
  ButtonPress,
  ChannelReceiver,
  CommandDescription,
  IncomingCommand,
  IncomingMessage,
} from '../../channel-adapter.ts';
import { type FakeDiscord, startFakeDiscord } from './fake-discord.ts';
import type { FakeDiscordOptions } from './options.ts';

/** A receiver that records its calls. A test replaces the handlers that it needs. */
class RecordingReceiver implements ChannelReceiver {
  readonly allows = () => true;
  commands: CommandDescription[] = [];
  readonly messages: IncomingMessage[] = [];
  readonly presses: ButtonPress[] = [];
  readonly received: IncomingCommand[] = [];
  gaps = 0;
  readonly ends: (Error | undefined)[] = [];

  async onMessage(message: IncomingMessage): Promise<void> {
    this.messages.push(message);
  }

  async onPress(press: ButtonPress): Promise<void> {
    this.presses.push(press);
    await press.acknowledge();
  }

  async onCommand(command: IncomingCommand): Promise<void> {
    this.received.push(command);
    await command.respond(`You entered ${command.name}.`, { onlyToUser: true });
  }

  onGap(): void {
    this.gaps += 1;
  }

  onEnd(error?: Error): void {
    this.ends.push(error);
  }

  get texts(): string[] {
    return this.messages.map(({ text }) => text);
  }
}

export type Connected = {
  discord: FakeDiscord;
  adapter: DiscordAdapter;
  receiver: RecordingReceiver;
  /** Warnings that the adapter logged. */
  warnings: string[];
  /** The id of the channel in the form of the gateway. */
  channel: string;
  [Symbol.asyncDispose](): Promise<void>;
};

type ConnectOptions = FakeDiscordOptions & {
  directMessages?: boolean;
  commands?: CommandDescription[];
  /** The token of the adapter, for tests with a wrong one. */
  adapterToken?: string;
  deferMs?: number;
};

/** A stand-in and an adapter that is not started. */
export async function prepareDiscord(options: ConnectOptions = {}): Promise<Connected> {
  const { directMessages = false, commands = [], adapterToken, deferMs, ...server } = options;
  const discord = await startFakeDiscord(server);
  const warnings: string[] = [];
  const adapter = new DiscordAdapter({
    token: adapterToken ?? discord.token,
    apiUrl: discord.apiUrl,
    directMessages,
    deferMs,
    log: { warn: (message) => warnings.push(message) },
  });
  const receiver = new RecordingReceiver();
  receiver.commands = commands;
  return {
    discord,
    adapter,
    receiver,
    warnings,
    channel: `discord:${discord.channelId}`,
    async [Symbol.asyncDispose]() {
      await adapter.stop();
      await discord.close();
    },
  };
}

export async function connectDiscord(options: ConnectOptions = {}): Promise<Connected> {
  const connected = await prepareDiscord(options);
  await connected.adapter.start(connected.receiver);
  return connected;
}

/** All messages of a history. */
export async function collect(history: AsyncIterable<IncomingMessage>): Promise<IncomingMessage[]> {
  const messages: IncomingMessage[] = [];
  for await (const message of history) messages.push(message);
  return messages;
}
