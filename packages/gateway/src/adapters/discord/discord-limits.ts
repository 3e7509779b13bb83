import type { ChannelLimits } from '../../channel-adapter.ts';

const MIB = 1024 * 1024;

/**
 * The limits of Discord for bots, from its API documentation unless a comment says otherwise. Rate limits are not
 * documented: Discord returns them in the headers of each response, and discord.js obeys those. The intervals only keep
 * the gateway from running into them all the time.
 */
export const DISCORD_LIMITS: ChannelLimits = {
  messageLength: 2000,
  // Observed: 5 messages per 5 seconds and channel.
  sendIntervalMs: 1000,
  // Observed: 5 edits per 5 seconds and channel. Edits are frequent, so they leave some room.
  editIntervalMs: 1250,
  typingMs: 10_000,
  // The documented default was 10 MiB until September 2026 and is 20 MiB since then; servers with boosts allow more.
  sentFileBytes: 10 * MIB,
  // Discord has no limit for downloads: this one keeps a file of a Nitro user out of memory.
  receivedFileBytes: 25 * MIB,
  buttonsPerRow: 5,
  buttonRows: 5,
  buttonLabelLength: 80,
  buttonValueBytes: 100,
  acknowledgeMs: 3000,
};

/** Discord rejects longer nonces. */
export const NONCE_LENGTH = 25;

/** The most messages that one request for the history returns. */
export const HISTORY_PAGE = 100;

/** The longest description of a command and of its argument. */
export const COMMAND_DESCRIPTION_LENGTH = 100;
