/** A number of requests in a window of time. */
export type RateLimit = { limit: number; perMs: number };

export type FakeDiscordOptions = {
  /** The token that is valid. */
  token?: string;
  /** True if the Message Content intent is enabled in the Developer Portal. */
  messageContent?: boolean;
  /** Per channel. */
  sendLimit?: RateLimit;
  editLimit?: RateLimit;
  /** For all requests of the bot except those for interactions. */
  globalLimit?: RateLimit;
  /** Time for which Discord remembers a nonce; 0 turns the check off. */
  nonceMs?: number;
  /** Time limit for the response to an interaction. */
  interactionMs?: number;
  heartbeatMs?: number;
  /** The largest file that can be sent. */
  uploadBytes?: number;
  /** The clock of the server, for nonces and interactions. */
  now?: () => number;
};

export type Settings = {
  [Name in keyof FakeDiscordOptions]-?: NonNullable<FakeDiscordOptions[Name]>;
};

export const DEFAULT_SETTINGS: Settings = {
  token: 'MTAwMDAwMDAwMDAwMDAwMDAwMQ.fake-d.local-stand-in-token',
  messageContent: true,
  sendLimit: { limit: 5, perMs: 5000 },
  editLimit: { limit: 5, perMs: 5000 },
  globalLimit: { limit: 50, perMs: 1000 },
  nonceMs: 5 * 60_000,
  interactionMs: 3000,
  heartbeatMs: 41_250,
  uploadBytes: 10 * 1024 * 1024,
  now: Date.now,
};
