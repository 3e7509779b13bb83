import { setImmediate as nextTurn } from 'node:timers/promises';

/** A piece of work that is done inside a transaction. */
type Job<Tx, Result> = {
  /** Jobs are done in the order of their keys, so that two writers never wait for each other. */
  key: string;
  act(tx: Tx): Promise<Result>;
};

type Waiting<Tx> = Job<Tx, unknown> & {
  resolve(result: unknown): void;
  reject(error: unknown): void;
};

type CommitterOptions<Tx> = {
  begin<Result>(act: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** Told of the keys whose work was not committed after all. */
  onRollback(keys: readonly string[]): void;
};

/** So much work is committed together. */
const MOST_JOBS = 64;

/** Commits what waits together: one commit costs as much as many. */
export class Committer<Tx> {
  #options: CommitterOptions<Tx>;
  #waiting: Waiting<Tx>[] = [];
  #working: Promise<void> | undefined;

  constructor(options: CommitterOptions<Tx>) {
    this.#options = options;
  }

  /** Settles when the job is committed, or with the error that it threw. */
  submit<Result>(job: Job<Tx, Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.push({ ...job, resolve, reject });
    this.#working ??= this.#work();
    return promise as Promise<Result>;
  }

  /** Settles when nothing is pending. */
  async idle(): Promise<void> {
    while (this.#working) await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      // What has arrived in the same moment is heard first: SQLite hears nothing while it commits.
      await nextTurn();
      await this.#commit(this.#waiting.splice(0, MOST_JOBS));
    }
    this.#working = undefined;
  }

  async #commit(jobs: readonly Waiting<Tx>[]): Promise<void> {
    const inOrder = jobs.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    let isDone = false;
    try {
      const results = await this.#options.begin(async (tx) => {
        const done: unknown[] = [];
        for (const job of inOrder) done.push(await job.act(tx));
        isDone = true;
        return done;
      });
      for (const [index, job] of inOrder.entries()) job.resolve(results[index]);
    } catch (error) {
      this.#options.onRollback(inOrder.map(({ key }) => key));
      // A broken commit may have succeeded: then the work must not be repeated.
      if (jobs.length === 1 || isDone) for (const job of jobs) job.reject(error);
      // One bad job must not affect the others: each gets its own transaction.
      else for (const job of jobs) await this.#commit([job]);
    }
  }
}
