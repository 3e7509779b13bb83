import type { Entry } from '@baton/protocol';

/** Entries before the visible ones that still matter. */
export class OutsideEntries {
  /** Events may still change them. */
  #changing = new Map<number, Entry>();
  /** Prompts of tasks that are over, and that began in what is shown. */
  #prompts = new Map<number, Entry>();

  get(cursor: number): Entry | undefined {
    return this.#changing.get(cursor) ?? this.#prompts.get(cursor);
  }

  /** Keeps an entry that events may still change. */
  keepChanging(entry: Entry): void {
    this.#changing.set(entry.cursor, entry);
  }

  /** Keeps a prompt whose turn is among what is shown. */
  keepPrompt(prompt: Entry): void {
    if (!this.#changing.has(prompt.cursor)) this.#prompts.set(prompt.cursor, prompt);
  }

  /** Puts an entry in the place of its earlier form; false when that is not here. */
  change(entry: Entry): boolean {
    if (!this.#changing.has(entry.cursor)) return false;
    this.#changing.set(entry.cursor, entry);
    return true;
  }

  /** Gives an entry away to what is shown, if it is here. */
  take(cursor: number): Entry | undefined {
    const entry = this.get(cursor);
    this.#changing.delete(cursor);
    this.#prompts.delete(cursor);
    return entry;
  }

  /** Forgets what changes no more, but for the prompts of some tasks; gives what it had kept for changes till now. */
  tidy(
    mayChange: (entry: Entry) => boolean,
    tasks: ReadonlySet<string | undefined>,
  ): readonly Entry[] {
    for (const { cursor, taskId } of this.#prompts.values()) {
      if (!tasks.has(taskId)) this.#prompts.delete(cursor);
    }
    const settled = [...this.#changing.values()].filter((entry) => !mayChange(entry));
    for (const entry of settled) {
      this.#changing.delete(entry.cursor);
      if (entry.kind === 'prompt' && tasks.has(entry.taskId)) this.keepPrompt(entry);
    }
    return settled;
  }

  /** The prompts, in the order in which they were given. */
  prompts(): Entry[] {
    return [...this.#changing.values(), ...this.#prompts.values()]
      .filter(({ kind }) => kind === 'prompt')
      .sort((one, other) => one.cursor - other.cursor);
  }
}
