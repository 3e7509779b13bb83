import { randomBytes } from 'node:crypto';
import { alreadyAcknowledged, unknownInteraction } from './api-error.ts';
import type { Settings } from './options.ts';
import type { World } from './world.ts';

/** Outcome that the user sees after pressing a button or entering a command. */
export type InteractionOutcome =
  /** The bot acknowledged, without a text. */
  | { kind: 'acknowledged' }
  /** Only the user sees an ephemeral message. */
  | { kind: 'message'; text: string; ephemeral: boolean }
  /** "This interaction failed": no response in time. */
  | { kind: 'failed' };

type Pending = {
  token: string;
  channelId: string;
  createdAt: number;
  responded: boolean;
  timer: NodeJS.Timeout;
  settle(outcome: InteractionOutcome): void;
};

/** Interactions that wait for their one response. */
export class Interactions {
  #settings: Settings;
  #world: World;
  #pending = new Map<string, Pending>();
  /** By token. */
  #deferred = new Map<string, Pending>();
  #timers = new Set<NodeJS.Timeout>();

  constructor(settings: Settings, world: World) {
    this.#settings = settings;
    this.#world = world;
  }

  open(channelId: string): { id: string; token: string; outcome: Promise<InteractionOutcome> } {
    const { promise: outcome, resolve: settle } = Promise.withResolvers<InteractionOutcome>();
    const id = this.#world.ids.next();
    const token = randomBytes(32).toString('base64url');
    const createdAt = this.#settings.now();
    const timer = setTimeout(() => settle({ kind: 'failed' }), this.#settings.interactionMs);
    this.#pending.set(id, { token, channelId, createdAt, responded: false, settle, timer });
    this.#timers.add(timer);
    void outcome.then(() => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    });
    return { id, token, outcome };
  }

  /** Takes a deferred response: the user sees that the bot works, and the response can be given later. */
  defer(id: string, token: string): void {
    const pending = this.respond(id, token);
    clearTimeout(pending.timer);
    this.#deferred.set(token, pending);
  }

  /** Completes a deferred response. */
  complete(token: string): Pending {
    const pending = this.#deferred.get(token);
    if (!pending) throw unknownInteraction();
    return pending;
  }

  /** Accepts the response of the bot, or throws the error of Discord. */
  respond(id: string, token: string): Pending {
    const pending = this.#pending.get(id);
    if (!pending || pending.token !== token) throw unknownInteraction();
    if (pending.responded) throw alreadyAcknowledged();
    if (this.#settings.now() - pending.createdAt > this.#settings.interactionMs) {
      throw unknownInteraction();
    }
    pending.responded = true;
    return pending;
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
