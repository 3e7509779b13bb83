import type { Entry } from './entry.ts';

/**
 * Moves prompts to where their turn starts. A prompt queued while another task ran is logged in the middle of that task;
 * users want to see it before its own answer, and until then in the queue.
 */
export class TurnOrder {
  #running = new Set<string>();
  #ended = new Set<string>();
  #waiting = new Map<string, Entry>();
  /** Prompts that never began, by the cursor of the stop that took them out of the queue. */
  #cancelled = new Map<number, Entry>();
  #neverBegan = new Set<string>();

  /** Prompts that were given before what is shown, and whose turn comes in it or later. */
  constructor(waiting: readonly Entry[] = []) {
    for (const prompt of waiting) {
      if (prompt.taskId !== undefined) this.#waiting.set(prompt.taskId, prompt);
    }
  }

  /** Entries in the order in which they are shown; prompts whose turn has not come are held back. */
  inOrder(entries: readonly Entry[]): Entry[] {
    const shown: Entry[] = [];
    for (const entry of entries) {
      const { taskId, kind } = entry;
      if (taskId === undefined) shown.push(entry);
      else if (kind === 'prompt' && this.#running.size > 0) this.#waiting.set(taskId, entry);
      else if (kind === 'stop' && this.#waiting.has(taskId)) this.#cancel(entry, taskId, shown);
      else if (!this.#neverBegan.has(taskId)) {
        this.#begin(taskId, shown);
        shown.push(entry);
        if (kind === 'result') this.#end(taskId, shown);
      }
    }
    return shown;
  }

  /** The prompt that a stop took out of the queue, so that its turn never began. */
  cancelledBy(stop: number): Entry | undefined {
    return this.#cancelled.get(stop);
  }

  /** The prompts whose turn has not come. */
  waiting(): Entry[] {
    return [...this.#waiting.values()];
  }

  /**
   * The running task at the start of some entries. Its prompt is before them all; prompts of other tasks that were
   * queued earlier are in between.
   */
  static firstTask(entries: readonly Entry[]): string | undefined {
    return entries.find(({ kind, taskId }) => kind !== 'prompt' && taskId !== undefined)?.taskId;
  }

  #cancel(stop: Entry, taskId: string, shown: Entry[]): void {
    const prompt = this.#waiting.get(taskId);
    if (prompt) this.#cancelled.set(stop.cursor, prompt);
    this.#waiting.delete(taskId);
    this.#neverBegan.add(taskId);
    shown.push(stop);
  }

  #begin(taskId: string, shown: Entry[]): void {
    const prompt = this.#waiting.get(taskId);
    this.#waiting.delete(taskId);
    if (prompt) shown.push(prompt);
    if (!this.#ended.has(taskId)) this.#running.add(taskId);
  }

  #end(taskId: string, shown: Entry[]): void {
    this.#running.delete(taskId);
    this.#ended.add(taskId);
    const [next] = this.#waiting.keys();
    if (next !== undefined && this.#running.size === 0) this.#begin(next, shown);
  }
}
