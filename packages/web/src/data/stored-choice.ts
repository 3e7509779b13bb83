/** A choice that is kept in this browser, with those who want to know when it changes. */
export class StoredChoice {
  #key: string;
  #listeners = new Set<() => void>();

  constructor(key: string) {
    this.#key = key;
  }

  get(): string | undefined {
    return localStorage.getItem(this.#key) ?? undefined;
  }

  /** Keeps it; nothing forgets it. */
  set(value: string | undefined): void {
    if (value === undefined) localStorage.removeItem(this.#key);
    else localStorage.setItem(this.#key, value);
    for (const listener of this.#listeners) listener();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}
