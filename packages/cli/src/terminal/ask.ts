import { setImmediate as nextTick } from 'node:timers/promises';
import type { PendingRequest } from '@baton/engine/definition/backend';
import type { AgentEvent, RequestAnswer } from '@baton/protocol';
import type { View } from '../view/view.ts';
import { askPermission } from './ask-permission.ts';
import { askQuestions } from './ask-questions.ts';
import type { Keyboard } from './keyboard.ts';

/** Whom the answers are for. */
export type Asking = {
  answer(requestId: string, answer: RequestAnswer): void;
  /** Ctrl-C was pressed instead of an answer. */
  interrupt(): void;
  /** Settles when no request needs to be asked. */
  ended: Promise<unknown>;
  /** The folder that the agent works in, as far as it is known. */
  cwd?: string | undefined;
};

/** Asks the person at the terminal, one request after another, and hands the answers on. */
export class TerminalAsker {
  #asking: Asking;
  #view: View;
  #keyboard: Keyboard;
  #queue: Promise<void> = Promise.resolve();
  #settled = new Set<string>();
  #cwd: string | undefined;
  #ended = new AbortController();
  /** The request that the person sees right now. */
  #shown: { requestId: string; settled: AbortController } | undefined;

  constructor(asking: Asking, view: View, keyboard: Keyboard) {
    this.#asking = asking;
    this.#view = view;
    this.#keyboard = keyboard;
    this.#cwd = asking.cwd;
    void asking.ended.then(() => this.#ended.abort());
  }

  /** Handles a request of the agent, or its withdrawal. */
  see(event: AgentEvent): void {
    if (event.type === 'run.started') this.#cwd = event.cwd;
    if (event.type === 'permission.requested') this.ask({ kind: 'permission', request: event });
    if (event.type === 'question.requested') this.ask({ kind: 'question', request: event });
    if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
      this.settle(event.requestId);
    }
  }

  /** Asks the person when everything before is answered. */
  ask(pending: PendingRequest): void {
    this.#settled.delete(pending.request.requestId);
    // What was typed so far is read, and forgotten, before the question is shown.
    this.#queue = this.#queue.then(() => nextTick()).then(() => this.#ask(pending));
  }

  /** Aborts a pending question: the request no longer needs an answer. */
  settle(requestId: string): void {
    this.#settled.add(requestId);
    if (this.#shown?.requestId === requestId) this.#shown.settled.abort();
  }

  async #ask(pending: PendingRequest): Promise<void> {
    const { requestId } = pending.request;
    if (this.#ended.signal.aborted || this.#settled.has(requestId)) return;
    const settled = new AbortController();
    this.#shown = { requestId, settled };
    this.#view.pause?.();
    const answer = await this.#answerOf(
      pending,
      AbortSignal.any([this.#ended.signal, settled.signal]),
    );
    this.#shown = undefined;
    if (answer) this.#asking.answer(requestId, answer);
    else if (settled.signal.aborted) process.stdout.write('  Already answered elsewhere.\n');
    else if (!this.#ended.signal.aborted) this.#asking.interrupt();
    this.#view.resume?.();
  }

  async #answerOf(
    pending: PendingRequest,
    signal: AbortSignal,
  ): Promise<RequestAnswer | undefined> {
    if (pending.kind === 'permission') {
      return askPermission(pending.request, this.#keyboard, signal, this.#cwd);
    }
    const answer = await askQuestions(pending.request.questions, this.#keyboard, signal);
    // The line that was being typed in stays as it is.
    if (signal.aborted) process.stdout.write('\n');
    return answer;
  }
}
