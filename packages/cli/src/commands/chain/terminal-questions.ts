import { setImmediate as nextTick } from 'node:timers/promises';
import type { PendingRequest, RequestAnswer } from '@baton/protocol';
import { askPermission, choiceLines } from '../../terminal/ask-permission.ts';
import { askQuestions } from '../../terminal/ask-questions.ts';
import { Keyboard } from '../../terminal/keyboard.ts';
import { asked, style } from '../../view/style.ts';
import type { ChainDecision } from './chain-place.ts';

const out = process.stdout;

/** The view behind the questions; it is paused while one is open. */
type Covered = { pause?(): void; resume?(): void };

/** Asks the user at the terminal the questions of several steps, one after another. */
export class TerminalQuestions {
  readonly keyboard = new Keyboard();
  #queue: Promise<unknown> = Promise.resolve();
  #view: Covered = {};
  #onInterrupt: () => void = () => {};

  /** Takes the keyboard, for as long as a chain is shown. */
  open(view: Covered, onInterrupt: () => void): void {
    this.#view = view;
    this.#onInterrupt = onInterrupt;
    this.keyboard.open();
  }

  close(): void {
    this.keyboard.close();
  }

  /** The answer to the request of an agent. */
  async answer(step: string, pending: PendingRequest, signal: AbortSignal): Promise<RequestAnswer> {
    const answer = await this.#next<RequestAnswer>(step, signal, () =>
      pending.kind === 'permission'
        ? askPermission(pending.request, this.keyboard, signal)
        : askQuestions(pending.request.questions, this.keyboard, signal),
    );
    if (answer) return answer;
    return pending.kind === 'permission'
      ? { decision: 'deny', reason: 'Stopped by the user.' }
      : { declined: true, reason: 'Stopped by the user.' };
  }

  /** Asks for the decision about an approval step; undefined if the user pressed Ctrl-C. */
  approval(step: string, message: string, signal: AbortSignal): Promise<ChainDecision | undefined> {
    return this.#next(step, signal, async () => {
      out.write(`${asked(message)}\n`);
      const choices = [
        ['y', 'approve'],
        ['n', 'reject'],
        ['r', 'reject, with a reason'],
      ] as const;
      const question = choiceLines(choices, out.columns || 80);
      const typed = await this.keyboard.key(question, 'ynr', signal);
      out.write(`${typeof typed === 'object' ? typed.text : ''}\n`);
      if (typed === 'interrupted') return undefined;
      if (typed === 'declined' || typed.text === 'n') return { decision: 'reject' };
      if (typed.text === 'y') return { decision: 'approve' };
      const reason = await this.keyboard.line('  Reason: ', signal);
      return typeof reason === 'object' ? { decision: 'reject', comment: reason.text } : undefined;
    });
  }

  #next<Answer>(
    step: string,
    signal: AbortSignal,
    ask: () => Promise<Answer | undefined>,
  ): Promise<Answer | undefined> {
    const turn = this.#queue.then(async () => {
      // What was typed so far is read, and forgotten, before the question is shown.
      await nextTick();
      if (signal.aborted) return undefined;
      this.#view.pause?.();
      out.write(`${style(out, 'yellow', '?')} ${style(out, 'bold', step)}\n`);
      try {
        const answer = await ask();
        if (answer === undefined && !signal.aborted) this.#onInterrupt();
        return answer;
      } finally {
        this.#view.resume?.();
      }
    });
    this.#queue = turn.catch(() => {});
    return turn;
  }
}
