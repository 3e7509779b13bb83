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

export function clientOptions(
  { GatewayIntentBits, Options, SimpleShardingStrategy }: Discord,
  { apiUrl, directMessages, stopped }: Wishes,
): ClientOptions {
  return {
    ws: {
      // discord.js ignores `destroy` between two attempts to connect, and would go on for ever.
      buildStrategy: (manager) => {
        const { retrieveSessionInfo } = manager.options;
        manager.options.retrieveSessionInfo = (shardId) =>
          stopped.aborted ? new Promise(() => {}) : retrieveSessionInfo(shardId);
        return new SimpleShardingStrategy(manager);
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
