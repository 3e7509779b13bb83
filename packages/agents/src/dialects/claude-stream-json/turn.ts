import type { Verdict } from '@baton/engine/definition/dialect';
import { addUsage } from '@baton/protocol/values';
import { interrupted } from './verdict.ts';

/**
 * Tracks which results belong to the prompt. Claude also starts turns itself, when a background task ends, and a message
 * that it gets while it works is handled in this turn or in another one.
 */
export class Turn {
  /** True while something that began has not ended. */
  isOpen = false;
  /** True while the main agent itself is at work, not only its background tasks. */
  isWorking = false;
  /** The replies of the main agent since the prompt. */
  replies = 0;
  #hasEnded = false;
  #prompt: string | undefined;
  /** True if prompts are sent here; false in a recording. */
  #isPrompted = false;
  #isInterrupted = false;
  /** Messages of the person that Claude has not taken up yet. */
  #unread = new Set<string>();
  /** The end of a turn after which Claude still has messages to take up, or works on in the background. */
  #held: Verdict | undefined;

  /** True if the last thing that began has ended. */
  get isOver(): boolean {
    return this.#hasEnded && !this.isOpen;
  }

  get unread(): readonly string[] {
    return [...this.#unread];
  }

  /** Verdict on the turn if Claude ends here. */
  get held(): Verdict | undefined {
    return this.#held;
  }

  /** A prompt begins a turn; returns the id under which Claude will echo it. */
  prompt(): string {
    this.isOpen = true;
    this.isWorking = true;
    this.#held = undefined;
    this.#isPrompted = true;
    this.#isInterrupted = false;
    this.replies = 0;
    this.#prompt = this.steer();
    return this.#prompt;
  }

  /** The turn is steered; returns the id under which Claude will echo the message. */
  steer(): string {
    const uuid = crypto.randomUUID();
    this.#unread.add(uuid);
    return uuid;
  }

  /** Claude has taken a message up. */
  echo(uuid: string): void {
    this.#unread.delete(uuid);
  }

  /** True if a turn that Claude started itself belongs to a run: a run begins when its prompt is handled. */
  get isOfRun(): boolean {
    if (!this.#isPrompted) return true;
    return this.#prompt !== undefined && !this.#unread.has(this.#prompt);
  }

  /** True if only background work keeps the turn open. */
  get isInBackground(): boolean {
    return this.#held !== undefined && this.#unread.size === 0 && !this.isWorking;
  }

  /** A turn that has nothing to do with the prompt is over. */
  skip(): void {
    this.#hasEnded = true;
    this.isOpen = this.#prompt !== undefined;
    this.isWorking = this.isOpen;
  }

  /** Takes the end of a turn; returns the verdict on the prompt unless more follows. */
  end(
    verdict: Verdict,
    more: { isSelfStarted: boolean; mayContinue: boolean },
  ): Verdict | undefined {
    // Slash commands are carried out without an echo, in the order in which they were given.
    const taken = this.#held ? this.unread[0] : this.#prompt;
    if (taken !== undefined && !(this.#held && more.isSelfStarted)) this.#unread.delete(taken);
    const whole = {
      ...verdict,
      structured: verdict.structured ?? this.#held?.structured,
      usage: addUsage(this.#held?.usage, verdict.usage),
    };
    this.isWorking = false;
    // The agent may have ended its turn just before it heard of the interrupt: nothing follows then.
    const continues = this.#unread.size > 0 || (more.mayContinue && !this.#isInterrupted);
    if (continues && verdict.outcome !== 'cancelled') {
      this.isOpen = true;
      this.#held = whole;
      return undefined;
    }
    this.#close();
    return whole;
  }

  /** True if the turn is to be stopped. */
  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  interrupt(): void {
    this.#isInterrupted = true;
  }

  /** The background work is over; returns the verdict that was held for it. */
  release(): Verdict | undefined {
    const held = this.#held;
    if (!held || !this.isInBackground) return undefined;
    const verdict = this.#isInterrupted ? { ...interrupted(), usage: held.usage } : held;
    this.#close();
    return verdict;
  }

  /** A message was withdrawn before Claude took it up; returns the verdict if that leaves no turn to wait for. */
  withdraw(uuid: string): Verdict | undefined {
    this.#unread.delete(uuid);
    const isLast = this.#held !== undefined && this.#unread.size === 0;
    if (uuid !== this.#prompt && !isLast) return undefined;
    const usage = this.#held?.usage;
    this.#close();
    return { ...interrupted(), usage };
  }

  #close(): void {
    this.isOpen = false;
    this.isWorking = false;
    this.#isInterrupted = false;
    this.#hasEnded = true;
    this.#prompt = undefined;
    this.#held = undefined;
    this.#unread.clear();
  }
}
