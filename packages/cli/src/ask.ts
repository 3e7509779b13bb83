import { setImmediate as nextTick } from 'node:timers/promises';
import type { AgentEvent } from '@baton/protocol';
import type { AgentRun, PendingRequest } from '@baton/runtime';
import { askPermission } from './ask-permission.ts';
import { askQuestions } from './ask-questions.ts';
import type { Keyboard } from './keyboard.ts';
import type { View } from './view/view.ts';

/** Asks the person at the terminal, one request after another, and hands the answers to the run; Ctrl-C stops it. */
export class TerminalAsker {
  #run: AgentRun;
  #view: View;
  #keyboard: Keyboard;
  #queue: Promise<void> = Promise.resolve();
  #settled = new Set<string>();
  #cwd: string | undefined;
  #ended = new AbortController();

  constructor(run: AgentRun, view: View, keyboard: Keyboard) {
    this.#run = run;
    this.#view = view;
    this.#keyboard = keyboard;
    void run.result.then(() => this.#ended.abort());
  }

  /** Takes a request of the agent, or the news that one needs no answer any more. */
  see(event: AgentEvent): void {
    if (event.type === 'run.started') this.#cwd = event.cwd;
    if (event.type === 'permission.requested')
      this.#enqueue({ kind: 'permission', request: event });
    if (event.type === 'question.requested') this.#enqueue({ kind: 'question', request: event });
    if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
      this.#settled.add(event.requestId);
    }
  }

  #enqueue(pending: PendingRequest): void {
    // What was typed so far is read, and forgotten, before the question is shown.
    this.#queue = this.#queue.then(() => nextTick()).then(() => this.#ask(pending));
  }

  async #ask(pending: PendingRequest): Promise<void> {
    const { signal } = this.#ended;
    const { requestId } = pending.request;
    if (signal.aborted || this.#settled.has(requestId)) return;
    this.#view.pause?.();
    const answer =
      pending.kind === 'permission'
        ? await askPermission(pending.request, this.#keyboard, signal, this.#cwd)
        : await askQuestions(pending.request.questions, this.#keyboard, signal);
    if (answer) this.#run.answer(requestId, answer);
    else void this.#run.cancel('Interrupted.');
    this.#view.resume?.();
  }
}
