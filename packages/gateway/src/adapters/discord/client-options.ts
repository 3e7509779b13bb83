import type { ClientOptions } from 'discord.js';
import type { Discord } from './load-discord.ts';

/** An upload of the largest files on a slow line takes longer than the 15 seconds that discord.js waits. */
const REQUEST_TIMEOUT_MS = 30_000;

type Wishes = {
  apiUrl: string | undefined;
  directMessages: boolean;
  /** Aborts when the client must not connect again. */
  stopped: AbortSignal;
};

/** Internals of discord.js's connections, which its types hide. */
type Connected = {
  shards?: ReadonlyMap<number, { connection?: Pick<EventTarget, 'addEventListener'> | null }>;
};

/** discord.js removes its error listener from a connection that it gives up before it is open: its error would end the process. */
function keepErrors(strategy: object): void {
  for (const { connection } of (strategy as Connected).shards?.values() ?? []) {
    connection?.addEventListener('error', ignore);
  }
}

function ignore(): void {}

export function clientOptions(
  { GatewayIntentBits, Options, SimpleShardingStrategy }: Discord,
  { apiUrl, directMessages, stopped }: Wishes,
): ClientOptions {
  return {
    ws: {
      // discord.js ignores `destroy` between two attempts to connect, and would go on for ever.
      buildStrategy: (manager) => {
        const { retrieveSessionInfo } = manager.options;
        const strategy = new SimpleShardingStrategy(manager);
        manager.options.retrieveSessionInfo = (shardId) => {
          if (stopped.aborted) return new Promise(() => {});
          // The connection exists then, and has had no time to fail.
          setImmediate(() => keepErrors(strategy));
          return retrieveSessionInfo(shardId);
        };
        return strategy;
      },
    },
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.MessageContent,
      ...(directMessages ? [GatewayIntentBits.DirectMessages] : []),
    ],
    rest: { timeout: REQUEST_TIMEOUT_MS, ...(apiUrl !== undefined && { api: apiUrl }) },
    // The adapter reads the events as they arrive, so nothing has to be cached. What discord.js always keeps (servers,
    // channels, roles) does not grow with the number of messages.
    makeCache: Options.cacheWithLimits({
      ApplicationCommandManager: 0,
      ApplicationEmojiManager: 0,
      AutoModerationRuleManager: 0,
      BaseGuildEmojiManager: 0,
      DMMessageManager: 0,
      EntitlementManager: 0,
      GuildBanManager: 0,
      GuildEmojiManager: 0,
      GuildInviteManager: 0,
      GuildMemberManager: 0,
      GuildMessageManager: 0,
      GuildScheduledEventManager: 0,
      GuildStickerManager: 0,
      MessageManager: 0,
      PresenceManager: 0,
      ReactionManager: 0,
      ReactionUserManager: 0,
      StageInstanceManager: 0,
      ThreadMemberManager: 0,
      UserManager: 0,
      VoiceStateManager: 0,
    }),
    sweepers: Options.DefaultSweeperSettings,
  };
}
