import { Backoff, BatonError } from '@baton/protocol';

/** Error codes of a system that is out of file handles, processes, memory or disk space for now. */
const SHORTAGES: ReadonlySet<unknown> = new Set([
  'EMFILE',
  'ENFILE',
  'EAGAIN',
  'ENOMEM',
  'ENOSPC',
  'EDQUOT',
]);
const PAUSES = { baseMs: 1000, maxMs: 30_000 };

/** Tells a shortage of the machine from an error of the task: then the task can run later. */
export function isShortage(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (SHORTAGES.has((each as NodeJS.ErrnoException).code)) return true;
  }
  return false;
}

/** Starts no task for a while after the machine was short of resources, with backoff until a task has ended. */
export class Shortage {
  #onOver: () => void;
  #end = new AbortController();
  #backoff = new Backoff({ ...PAUSES, signal: this.#end.signal });
  #reason: string | undefined;

  constructor(onOver: () => void) {
    this.#onOver = onOver;
  }

  /** Reason why no task starts now. */
  get reason(): string | undefined {
    return this.#reason;
  }

  begin(error: unknown): void {
    if (this.#reason !== undefined) return;
    this.#reason = BatonError.is(error) || error instanceof Error ? error.message : String(error);
    void this.#backoff.wait().then((isOver) => {
      this.#reason = undefined;
      if (isOver) this.#onOver();
    });
  }

  /** Tasks run again. */
  forget(): void {
    this.#backoff.reset();
  }

  close(): void {
    this.#end.abort();
  }
}
