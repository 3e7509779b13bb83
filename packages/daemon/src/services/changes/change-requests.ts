/** An executor that takes longer is busy, or gone: what it reported last is shown instead. */
const ANSWER_MS = 10_000;

/** Asks the executors of tasks on other machines for the present change. */
export class ChangeRequests {
  /** The waiting executor of each task. */
  #waiting = new Map<string, (isAsked: boolean) => void>();
  /** Requests without an answer: callers at the same time share one. */
  #open = new Map<string, PromiseWithResolvers<void>>();

  /** Asks the executor of a task, and waits for its report; at once if no executor waits for requests. */
  async ask(taskId: string): Promise<void> {
    const known = this.#open.get(taskId);
    if (known) return known.promise;
    const executor = this.#waiting.get(taskId);
    if (!executor) return;
    const request = Promise.withResolvers<void>();
    this.#open.set(taskId, request);
    const timer = setTimeout(() => this.answered(taskId), ANSWER_MS);
    executor(true);
    await request.promise;
    clearTimeout(timer);
  }

  /** Waits for a request as the executor of a task; returns false if there was none in time. */
  async next(taskId: string, waitMs: number): Promise<boolean> {
    // The connection of an earlier call may be lost.
    this.#waiting.get(taskId)?.(false);
    const asked = Promise.withResolvers<boolean>();
    this.#waiting.set(taskId, asked.resolve);
    const timer = setTimeout(() => asked.resolve(false), waitMs);
    timer.unref();
    const isAsked = await asked.promise;
    clearTimeout(timer);
    if (this.#waiting.get(taskId) === asked.resolve) this.#waiting.delete(taskId);
    return isAsked;
  }

  /** Lets those go on who wait for the report of a task. */
  answered(taskId: string): void {
    this.#open.get(taskId)?.resolve();
    this.#open.delete(taskId);
  }
}
