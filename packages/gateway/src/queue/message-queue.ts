import type { WarningLog } from '@baton/contracts';
import { BatonError } from '@baton/protocol';
import type { GatewayEventRow, GatewayEvents, GatewayLimits, StoredMessage } from '@baton/store';
import { stableId } from '../text/stable-id.ts';
import type { EventResult, GatewayEvent } from './gateway-event.ts';

const DEFAULT_CONCURRENCY = 4;
const DEFAULT_LIMITS: GatewayLimits = { total: 1000, perChannel: 20 };
/** Time for which an ended message is remembered, so that a late duplicate is recognized. */
const REMEMBERED_MS = 30 * 24 * 3600 * 1000;
/** As long as Discord allows for a nonce, without the number of the message. */
const TURN_ID_LENGTH = 20;

export type MessageQueueOptions = {
  /** Storage of messages: `Store.gatewayEvents`. */
  events: GatewayEvents;
  /**
   * Runs the agent. It calls `turn.agentStarts` and waits for it before the agent gets the prompt. Without a result the
   * run continues elsewhere, and the next start joins it.
   */
  run(event: GatewayEvent, turn: Turn): Promise<EventResult | undefined>;
  /**
   * Sends the result. After a restart it may be called again for a reply that was sent but not confirmed, in the same
   * turn: the platform or the adapter must not show it twice. It retries by itself; if it rejects, the reply is sent
   * after the next start, or never if the error is a `BatonError` that is neither retryable nor `interrupted`.
   */
  reply(event: GatewayEvent, result: EventResult, turn: Turn): Promise<void>;
  /** Called when the state of a message is final. */
  ended?(event: GatewayEvent): void;
  /**
   * True if the platform of a channel is connected; stored messages of other channels wait for a start with their
   * platform.
   */
  serves?(channelId: string): boolean;
  /** The daemon that runs the agents, if not this process: its runs are joined again after a restart. */
  place?: string | undefined;
  log: WarningLog;
  now: () => number;
  /** Maximum number of messages that run at once, each of another channel. */
  concurrency?: number | undefined;
  limits?: GatewayLimits | undefined;
};

type EventKey = Pick<GatewayEventRow, 'channel_id' | 'message_id'>;

/** Ids of the messages sent in a turn, as they are stored. */
type StoredMessages = { sent: string[]; asked: Record<string, string> };

/** One run of a message, which survives a restart of the gateway. A retry is another turn. */
export type Turn = {
  /** Short enough for a nonce of Discord with a number after it. */
  readonly id: string;
  /** Aborts when users stop the message; it may be aborted from the start. */
  readonly signal: AbortSignal;
  /** Call this before the agent gets the prompt. */
  agentStarts(): Promise<void>;
  /** The ids of the messages that were sent so far; empty where the platform has not confirmed one. */
  readonly sent: readonly string[];
  /** Stores the id of a message that was sent, or an empty one before it is sent. */
  storeSent(index: number, id: string): Promise<void>;
  /** The ids of the messages that asked something, by the key of the request. */
  readonly asked: Readonly<Record<string, string>>;
  storeAsked(key: string, id: string): Promise<void>;
};

/**
 * Runs messages in order, one at a time per channel and several channels at once, in turn. A message is stored before
 * anything else. After a restart, messages whose agent had not received the prompt run; the others are reported as
 * interrupted.
 */
export class MessageQueue {
  #options: MessageQueueOptions;
  #isStarted = false;
  #isStopping = false;
  /** The messages of each channel that wait, the oldest first. */
  #waiting = new Map<string, GatewayEventRow[]>();
  /** Channels with waiting messages of which none runs. The first one is next. */
  #ready: string[] = [];
  /** The turn of each channel that has no result yet. */
  #turns = new Map<string, AbortController>();
  /** Channels whose next turn is stopped before it begins. */
  #stopNext = new Set<string>();
  /** Messages that run or are replied to. */
  #running = new Set<Promise<void>>();
  /** Replies that are being sent, by message. */
  #replies = new Map<string, Promise<void>>();
  /** Number of running agents; a reply that waits for its platform holds up only its own channel. */
  #agents = 0;
  /** Ends when all messages that have arrived are stored; they are stored one by one to keep their order. */
  #stored: Promise<unknown> = Promise.resolve();

  constructor(options: MessageQueueOptions) {
    this.#options = options;
  }

  /** Continues where the last process ended, then runs messages as they arrive. */
  async start(): Promise<void> {
    const { events, now, place } = this.#options;
    await events.removeEnded(now() - REMEMBERED_MS);
    await this.#inOrder(async () => {
      const rows = await events.recover((row) => JSON.stringify(interrupted(row)), place);
      this.#isStarted = true;
      const isServed = (row: GatewayEventRow) => this.#options.serves?.(row.channel_id) ?? true;
      const accepted = new Set(rows.filter(isAccepted).map(({ channel_id }) => channel_id));
      // What was to be stopped may have been interrupted instead.
      for (const each of this.#stopNext) if (!accepted.has(each)) this.#stopNext.delete(each);
      for (const row of rows.filter(isServed)) this.#add(row);
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
  async retry(channelId: string, messageId: string): Promise<boolean> {
    const key = { channel_id: channelId, message_id: messageId };
    // People can press the button before the platform has confirmed the reply.
    await this.#replies.get(nameOf(key));
    return this.#inOrder(async () => {
      const isQueued = await this.#options.events.retry(key);
      if (isQueued) await this.#addStored(key);
      return isQueued;
    });
  }

  /** Stops the first message of a channel that has no result yet, running or not; false if there is none. */
  async cancel(channelId: string): Promise<boolean> {
    const { events } = this.#options;
    const turn = this.#turns.get(channelId);
    turn?.abort();
    if (turn) return true;
    return this.#inOrder(async () => {
      const isPending = this.#isStarted
        ? this.#waiting.get(channelId)?.some(isAccepted)
        : (await events.pendingIn(channelId)) > 0;
      if (isPending) this.#stopNext.add(channelId);
      return isPending ?? false;
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

  /** Queues a stored message. Before `start` it does nothing: `start` reads the message from the store. */
  async #addStored(key: EventKey): Promise<void> {
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
    while (!this.#isStopping && this.#agents < concurrency) {
      const channelId = this.#ready.shift();
      if (channelId === undefined) return;
      this.#agents += 1;
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
    const stop = new AbortController();
    if (row && isAccepted(row)) {
      this.#turns.set(channelId, stop);
      if (this.#stopNext.delete(channelId)) stop.abort();
    }
    const turn = row && this.#turnOf(row, stop.signal);
    const result = turn && (await this.#result(row, turn));
    this.#turns.delete(channelId);
    this.#agents -= 1;
    this.#fill();
    if (result) await this.#reply(row, turn, result);
  }

  /** Returns the stored result of a message; undefined if it could not be stored. */
  async #result(row: GatewayEventRow, turn: Turn): Promise<EventResult | undefined> {
    const { events, run } = this.#options;
    if (row.state === 'replying') return JSON.parse(row.result ?? '{}');
    try {
      if (!(await events.start(row))) return undefined;
      const result = await run(eventOf(row), turn).catch((error) => {
        this.#warn(row, 'failed', error);
        return failed(row, errorText(error));
      });
      if (result) await events.storeResult(row, JSON.stringify(result), result.usage);
      return result;
    } catch (error) {
      // The next start continues with what is stored.
      this.#warn(row, 'could not be completed', error);
      return undefined;
    }
  }

  async #reply(row: GatewayEventRow, turn: Turn, result: EventResult): Promise<void> {
    const replied = this.#sendReply(row, turn, result);
    this.#replies.set(nameOf(row), replied);
    await replied;
    this.#replies.delete(nameOf(row));
  }

  async #sendReply(row: GatewayEventRow, turn: Turn, result: EventResult): Promise<void> {
    const { events, reply, ended } = this.#options;
    try {
      await reply(eventOf(row), result, turn).catch((error) => {
        // A platform that is being disconnected does not refuse the reply.
        if (!BatonError.is(error) || error.retryable || error.code === 'interrupted') throw error;
        this.#warn(row, 'cannot be answered', error);
      });
      await events.end(row, result.error === undefined ? 'answered' : 'failed');
      ended?.(eventOf(row));
    } catch (error) {
      this.#warn(row, 'could not be completed', error);
    }
  }

  #turnOf(row: GatewayEventRow, signal: AbortSignal): Turn {
    const { events, place } = this.#options;
    const stored: StoredMessages = JSON.parse(row.sent ?? '{"sent":[],"asked":{}}');
    const { sent, asked } = stored;
    return {
      id: turnIdOf(row),
      signal,
      sent,
      asked,
      agentStarts: () => events.agentStarts(row, place),
      storeSent: (index, id) => {
        sent[index] = id;
        return events.storeSent(row, JSON.stringify(stored));
      },
      storeAsked: (key, id) => {
        asked[key] = id;
        return events.storeSent(row, JSON.stringify(stored));
      },
    };
  }

  #warn({ channel_id, message_id }: GatewayEventRow, what: string, error: unknown): void {
    this.#options.log.warn(`Message ${message_id} in ${channel_id} ${what}: ${messageOf(error)}`);
  }
}

function nameOf({ channel_id, message_id }: EventKey): string {
  return JSON.stringify([channel_id, message_id]);
}

function isAccepted({ state }: GatewayEventRow): boolean {
  return state === 'accepted';
}

function eventOf({ channel_id, message_id, body }: GatewayEventRow): GatewayEvent {
  return { channelId: channel_id, messageId: message_id, ...JSON.parse(body) };
}

/** A retry has another position. */
function turnIdOf({ channel_id, message_id, position }: GatewayEventRow): string {
  return stableId([channel_id, message_id, position], TURN_ID_LENGTH);
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

/** Returns the message and hint of an error, or the details of an internal error. */
function errorText(error: unknown): string {
  if (BatonError.is(error)) return `${error.message} ${error.hint}`;
  return `Internal error: ${messageOf(error)}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
