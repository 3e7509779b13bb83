import { addUsage } from '@baton/protocol';
import type { Verdict } from '../../dialect.ts';
import { newUuid } from '../../run-id.ts';
import { interrupted } from './result.ts';

/**
 * Knows which results belong to the prompt. Claude also takes turns of its own, when a background task ends,
 * and what is said to it while it works may be taken up in this turn or in one more.
 */
export class Turn {
  /** Whether something began that has not been ended. */
  isOpen = false;
  #hasEnded = false;
  #prompt: string | undefined;
  /** Messages of the person that Claude has not taken up yet. */
  #unread = new Set<string>();
  /** The end of a turn after which Claude still has messages to take up. */
  #held: Verdict | undefined;

  /** Whether the last thing that began has ended. */
  get isOver(): boolean {
    return this.#hasEnded && !this.isOpen;
  }

  get unread(): readonly string[] {
    return [...this.#unread];
  }

  /** What the turn comes to if Claude ends here. */
  get held(): Verdict | undefined {
    return this.#held;
  }

  /** A prompt begins a turn; gives the id under which Claude will echo it. */
  prompt(): string {
    this.isOpen = true;
    this.#held = undefined;
    this.#prompt = this.steer();
    return this.#prompt;
  }

  /** More is said during the turn; gives the id under which Claude will echo it. */
  steer(): string {
    const uuid = newUuid();
    this.#unread.add(uuid);
    return uuid;
  }

  /** Claude has taken a message up. */
  echo(uuid: string): void {
    this.#unread.delete(uuid);
  }

  /** Whether Claude has come to the prompt. */
  get hasPrompt(): boolean {
    return this.#prompt !== undefined && !this.#unread.has(this.#prompt);
  }

  /** A turn that has nothing to do with the prompt is over. */
  skip(): void {
    this.#hasEnded = true;
    this.isOpen = this.#prompt !== undefined;
  }

  /** Takes the end of a turn; gives the verdict on the prompt unless one more turn follows. */
  end(verdict: Verdict): Verdict | undefined {
    // Slash commands are carried out without an echo, in the order in which they were given.
    const taken = this.#held ? this.unread[0] : this.#prompt;
    if (taken !== undefined) this.#unread.delete(taken);
    const whole = { ...verdict, usage: addUsage(this.#held?.usage, verdict.usage) };
    if (this.#unread.size > 0 && verdict.outcome !== 'cancelled') {
      this.#held = whole;
      return undefined;
    }
    this.#close();
    return whole;
  }

  /** A message was taken back before Claude took it up; gives the verdict when that leaves no turn to wait for. */
  takeBack(uuid: string): Verdict | undefined {
    this.#unread.delete(uuid);
    const isLast = this.#held !== undefined && this.#unread.size === 0;
    if (uuid !== this.#prompt && !isLast) return undefined;
    const usage = this.#held?.usage;
    this.#close();
    return { ...interrupted(), usage };
  }

  #close(): void {
    this.isOpen = false;
    this.#hasEnded = true;
    this.#prompt = undefined;
    this.#held = undefined;
    this.#unread.clear();
  }
}
