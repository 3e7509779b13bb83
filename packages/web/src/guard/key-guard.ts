/** A press may answer a request only if no other character was typed this long before it … */
export const QUIET_BEFORE_MS = 500;
/** … and none follows it for this long. People who type a sentence are faster. */
export const QUIET_AFTER_MS = 350;
/** After an answer, no key answers the next request for this long. */
export const QUIET_AFTER_ANSWER_MS = 1500;
/** Time that the first key of a sequence, such as `g b`, waits for the next one. */
const SEQUENCE_MS = 1200;
/** A timer that is later than this was held up, and so may be the next key press. */
const LATE_MS = 100;

/** Actions by key, or by the keys of a sequence: `y`, `gb`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

export type ShortcutGroup = {
  /** The shortcuts that work now; read at every key press. */
  shortcuts: () => Shortcuts;
  /** These shortcuts answer a request. While there is such a group, every shortcut waits for an isolated key press. */
  answersRequest?: boolean;
  /** The shortcut focuses a control: Enter pressed right after it goes to that control. */
  passesEnter?: boolean;
};

/**
 * Distinguishes shortcuts from typed text. While a request is pending, a shortcut runs only for an isolated key press; a
 * sentence typed without looking at the focus goes to the text sink and never answers.
 */
export class KeyGuard {
  readonly #now: () => number;
  readonly #groups = new Set<ShortcutGroup>();
  readonly #listeners = new Set<() => void>();
  #textSink: ((text: string) => void) | undefined;
  #held = '';
  #heldGroup: ShortcutGroup | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastCharacterAt = Number.NEGATIVE_INFINITY;
  #lastTextAt = Number.NEGATIVE_INFINITY;
  #quietUntil = Number.NEGATIVE_INFINITY;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Adds shortcuts until the returned function is called. */
  add(group: ShortcutGroup): () => void {
    this.#groups.add(group);
    return () => this.#groups.delete(group);
  }

  /** Sets where typed text goes, until the returned function is called. Without a sink it is dropped. */
  setTextSink(sink: (text: string) => void): () => void {
    this.#textSink = sink;
    return () => {
      if (this.#textSink === sink) this.#textSink = undefined;
    };
  }

  /** Handles a character typed outside of a field; true if its default action must be prevented. */
  pressCharacter(character: string): boolean {
    const now = this.#now();
    const isQuietBefore = now - this.#lastCharacterAt >= QUIET_BEFORE_MS;
    this.#lastCharacterAt = now;
    const sequence = this.#held + character;
    const keys = this.#held !== '' && this.#startsShortcut(sequence) ? sequence : character;
    this.cancel();
    if (!this.#isGuarding()) return this.#runOrHold(keys);
    if (!isQuietBefore && keys === character) {
      this.#lastTextAt = now;
      this.#textSink?.(sequence);
      return true;
    }
    // Space presses the control that has the focus.
    if (character !== ' ') this.#hold(keys);
    return false;
  }

  /** Handles Enter outside of a field; true if its default action must be prevented. */
  pressEnter(isRepeat = false): boolean {
    if (isRepeat) return this.#isGuarding();
    const group = this.#heldGroup;
    if (group) {
      this.#runHeld();
      return !group.passesEnter;
    }
    this.cancel();
    return this.#isGuarding() && this.#now() - this.#lastTextAt < QUIET_BEFORE_MS;
  }

  /**
   * Notes a character that is no shortcut, such as one typed into a field: the next press is not isolated. True if it
   * follows another one so closely that it is part of a text.
   */
  noteCharacter(): boolean {
    const now = this.#now();
    const isText = now - this.#lastCharacterAt < QUIET_BEFORE_MS;
    this.#lastCharacterAt = now;
    this.cancel();
    return isText;
  }

  /** Drops a pending press, because another key was pressed. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#held = '';
    this.#heldGroup = undefined;
  }

  /** Call when an answer is given, by key or by pointer. */
  noteAnswer(): void {
    this.#quietUntil = this.#now() + QUIET_AFTER_ANSWER_MS;
    this.#notify();
    setTimeout(() => this.#notify(), QUIET_AFTER_ANSWER_MS);
  }

  /** True if keys may answer requests, as far as the last answer is concerned. */
  canAnswer = (): boolean => this.#now() >= this.#quietUntil;

  /** Calls a listener when `canAnswer` may have changed. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #isGuarding(): boolean {
    return [...this.#groups].some(({ answersRequest }) => answersRequest);
  }

  #startsShortcut(keys: string): boolean {
    const names = [...this.#groups].flatMap(({ shortcuts }) => Object.keys(shortcuts()));
    return names.some((name) => name.startsWith(keys));
  }

  #groupOf(keys: string): ShortcutGroup | undefined {
    // A view comes after the page around it, and its keys come first.
    const group = [...this.#groups].findLast(({ shortcuts }) => shortcuts()[keys]);
    return group?.answersRequest && !this.canAnswer() ? undefined : group;
  }

  #runOrHold(keys: string): boolean {
    const action = this.#groupOf(keys)?.shortcuts()[keys];
    if (action) action();
    else if (this.#startsShortcut(keys)) this.#hold(keys);
    return action !== undefined;
  }

  /** The group is chosen now: a request that comes while the press waits must not be answered by it. */
  #hold(keys: string): void {
    this.#held = keys;
    this.#heldGroup = this.#groupOf(keys);
    const isComplete = this.#heldGroup !== undefined || !this.#startsShortcut(keys);
    this.#wait(isComplete ? QUIET_AFTER_MS : SEQUENCE_MS);
  }

  #wait(ms: number): void {
    const due = this.#now() + ms;
    this.#timer = setTimeout(() => {
      if (this.#now() > due + LATE_MS) this.#wait(ms);
      else this.#runHeld();
    }, ms);
  }

  #runHeld(): void {
    const group = this.#heldGroup;
    const keys = this.#held;
    this.cancel();
    if (group && this.#groups.has(group)) group.shortcuts()[keys]?.();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
