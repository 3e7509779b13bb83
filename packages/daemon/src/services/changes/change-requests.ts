/** An executor that takes longer is busy, or gone: what it reported last is shown instead. */
const ANSWER_MS = 10_000;

/** The executor of one task. */
type Executor = {
  /** Ends its call; undefined between two calls. */
  waiting?: ((isAsked: boolean) => void) | undefined;
  /** The request that it is answering. */
  taken?: PromiseWithResolvers<void> | undefined;
  /** The request for its next call. Its report is newer than every call of `ask` that waits for it. */
  open?: PromiseWithResolvers<void> | undefined;
  /** Forgets the executor if it does not call again. */
  absence?: NodeJS.Timeout | undefined;
};

/** Asks the executors of tasks on other machines for the present change. */
export class ChangeRequests {
  #executors = new Map<string, Executor>();

  /** Asks the executor of a task, and waits for its report; returns at once if there is no executor to ask. */
  async ask(taskId: string): Promise<void> {
    const executor = this.#executors.get(taskId);
    if (!executor) return;
    executor.open ??= Promise.withResolvers<void>();
    const { promise, resolve } = executor.open;
    executor.waiting?.(true);
    const timer = setTimeout(resolve, ANSWER_MS);
    await promise;
    clearTimeout(timer);
  }

  /** Waits for a request as the executor of a task; returns false if there was none in time. */
  async next(taskId: string, waitMs: number): Promise<boolean> {
    const executor = this.#executors.get(taskId) ?? {};
    this.#executors.set(taskId, executor);
    clearTimeout(executor.absence);
    // The connection of an earlier call may be lost.
    executor.waiting?.(false);
    const asked = Promise.withResolvers<boolean>();
    executor.waiting = asked.resolve;
    if (executor.open) asked.resolve(true);
    const timer = setTimeout(() => asked.resolve(false), waitMs);
    timer.unref();
    const isAsked = await asked.promise;
    clearTimeout(timer);
    if (executor.waiting !== asked.resolve) return false;
    executor.waiting = undefined;
    if (isAsked) {
      executor.taken = executor.open;
      executor.open = undefined;
    }
    executor.absence = setTimeout(() => this.#forget(taskId), ANSWER_MS);
    executor.absence.unref();
    return isAsked;
  }

  /** Lets those go on who wait for the report of a task. */
  answered(taskId: string): void {
    this.#executors.get(taskId)?.taken?.resolve();
  }

  #forget(taskId: string): void {
    const executor = this.#executors.get(taskId);
    this.#executors.delete(taskId);
    executor?.taken?.resolve();
    executor?.open?.resolve();
  }
}
