import { createHash } from 'node:crypto';
import type { WarningLog } from '@baton/runtime/contracts';
import type { GatewayEventRow, GatewayEvents, GatewayLimits, StoredMessage } from '@baton/store';
import type { EventResult, GatewayEvent } from './gateway-event.ts';

const DEFAULT_CONCURRENCY = 4;
const DEFAULT_LIMITS: GatewayLimits = { total: 1000, perChannel: 20 };
/** How long a message that has ended is remembered, so that a late duplicate is recognized. */
const REMEMBERED_MS = 30 * 24 * 3600 * 1000;
/** As long as Discord allows, without the number of the part. */
const NONCE_LENGTH = 20;

export type EventQueueOptions = {
  /** Where messages are kept: `Store.gatewayEvents`. */
  events: GatewayEvents;
  /** Runs the agent. It calls `agentStarts` and waits for it before the agent gets the prompt. */
  run(event: GatewayEvent, agentStarts: () => Promise<void>): Promise<EventResult>;
  /**
   * Sends the result. After a restart it may be called again for a reply that was sent but not confirmed, with the same
   * nonce: the platform or the adapter must not show it twice.
   */
  reply(event: GatewayEvent, result: EventResult, nonce: string): Promise<void>;
  log: WarningLog;
  now: () => number;
  /** How many messages run at once, each of another channel. */
  concurrency?: number | undefined;
  limits?: GatewayLimits | undefined;
};

/**
 * Runs messages in order, one at a time per channel and several channels at once, in turn. A message is stored before
 * anything else. After a restart, those whose agent had not got the prompt run; the others are reported as interrupted.
 */
export class EventQueue {
  #options: EventQueueOptions;
  #isStarted = false;
  #isStopping = false;
  /** The messages of each channel that wait, the oldest first. */
  #waiting = new Map<string, GatewayEventRow[]>();
  /** Channels with waiting messages of which none runs. The first one is next. */
  #ready: string[] = [];
  #running = new Set<Promise<void>>();
  /** Ends when all messages that have arrived are stored; they are stored one by one to keep their order. */
  #stored: Promise<unknown> = Promise.resolve();

  constructor(options: EventQueueOptions) {
    this.#options = options;
  }

  /** Continues where the last process ended, then runs messages as they arrive. */
  async start(): Promise<void> {
    const { events, now } = this.#options;
    await events.removeEnded(now() - REMEMBERED_MS);
    await this.#inOrder(async () => {
      const rows = await events.recover((row) => JSON.stringify(interrupted(row)));
      this.#isStarted = true;
      for (const row of rows) this.#add(row);
    });
  }

  /** Stores a message and queues it, unless it is a duplicate or too many are pending. */
  push({ channelId, messageId, ...body }: GatewayEvent): Promise<StoredMessage> {
    const { events, limits = DEFAULT_LIMITS } = this.#options;
    const key = { channel_id: channelId, message_id: messageId };
    return this.#inOrder(async () => {
      const stored = await events.accept({ ...key, body: JSON.stringify(body) }, limits);
      if (stored === 'accepted') await this.#addStored(key);
      return stored;
    });
  }

  /** Runs a message that failed again because a user asked for it; false if it did not fail. */
  retry(channelId: string, messageId: string): Promise<boolean> {
    const key = { channel_id: channelId, message_id: messageId };
    return this.#inOrder(async () => {
      const isQueued = await this.#options.events.retry(key);
      if (isQueued) await this.#addStored(key);
      return isQueued;
    });
  }

  /** Resolves when nothing waits or runs. */
  async idle(): Promise<void> {
    await this.#stored;
    while (this.#running.size > 0) await Promise.race(this.#running);
  }

  /** Starts no further messages, and waits for those that run. The others stay stored. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.idle();
  }

  #inOrder<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = this.#stored.then(act);
    this.#stored = result.catch(() => {});
    return result;
  }

  /** Before the start nothing is queued: the start finds it in the store. */
  async #addStored(key: Pick<GatewayEventRow, 'channel_id' | 'message_id'>): Promise<void> {
    if (!this.#isStarted) return;
    const row = await this.#options.events.get(key);
    if (row) this.#add(row);
  }

  #add(row: GatewayEventRow): void {
    const waiting = this.#waiting.get(row.channel_id);
    if (waiting) {
      waiting.push(row);
      return;
    }
    this.#waiting.set(row.channel_id, [row]);
    this.#ready.push(row.channel_id);
    this.#fill();
  }

  #fill(): void {
    const { concurrency = DEFAULT_CONCURRENCY } = this.#options;
    while (!this.#isStopping && this.#running.size < concurrency) {
      const channelId = this.#ready.shift();
      if (channelId === undefined) return;
      const running = this.#runNext(channelId).then(() => {
        this.#running.delete(running);
        this.#putBack(channelId);
        this.#fill();
      });
      this.#running.add(running);
    }
  }

  /** A channel goes to the end of the line after each message, so that no other channel starves. */
  #putBack(channelId: string): void {
    if (this.#waiting.get(channelId)?.length === 0) this.#waiting.delete(channelId);
    else this.#ready.push(channelId);
  }

  async #runNext(channelId: string): Promise<void> {
    const row = this.#waiting.get(channelId)?.shift();
    if (!row) return;
    try {
      if (row.state === 'replying') await this.#reply(row, JSON.parse(row.result ?? '{}'));
      else await this.#runAndReply(row);
    } catch (error) {
      // The message is still stored, and the next start continues with it.
      this.#warn(row, 'could not be completed', error);
    }
  }

  async #runAndReply(row: GatewayEventRow): Promise<void> {
    const { events, run } = this.#options;
    if (!(await events.start(row))) return;
    const result = await run(eventOf(row), () => events.agentStarts(row)).catch((error) => {
      this.#warn(row, 'failed', error);
      return failed(row, `Internal error: ${messageOf(error)}`);
    });
    await events.storeResult(row, JSON.stringify(result));
    await this.#reply(row, result);
  }

  async #reply(row: GatewayEventRow, result: EventResult): Promise<void> {
    await this.#options.reply(eventOf(row), result, nonceOf(row));
    await this.#options.events.end(row, result.error === undefined ? 'answered' : 'failed');
  }

  #warn({ channel_id, message_id }: GatewayEventRow, what: string, error: unknown): void {
    this.#options.log.warn(`Message ${message_id} in ${channel_id} ${what}: ${messageOf(error)}`);
  }
}

function eventOf({ channel_id, message_id, body }: GatewayEventRow): GatewayEvent {
  return { channelId: channel_id, messageId: message_id, ...JSON.parse(body) };
}

/** A retry has another position, so its reply has another nonce. */
function nonceOf({ channel_id, message_id, position }: GatewayEventRow): string {
  const name = JSON.stringify([channel_id, message_id, position]);
  return createHash('sha256').update(name).digest('hex').slice(0, NONCE_LENGTH);
}

function interrupted(row: GatewayEventRow): EventResult {
  return failed(
    row,
    'The gateway was restarted while the agent was working. The message was not run again, because the agent may have changed something.',
  );
}

function failed(row: GatewayEventRow, error: string): EventResult {
  return { error, targetChannelId: row.channel_id, offerRetry: true };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
