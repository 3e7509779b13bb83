import { expireCheckpoints, expireRemoved, reconcile, type WorkspaceHome } from '@baton/workspaces';
import type { Logger } from 'pino';

const HOUR_MS = 60 * 60 * 1000;
const CHECKPOINT_DAYS = 30;
const DAY_MS = 24 * HOUR_MS;

/**
 * Finishes what killed processes left of worktrees, and deletes expired checkpoints and removed worktrees; at the start
 * and then every hour, until it is closed.
 */
export class WorkspaceJob {
  #home: WorkspaceHome;
  #log: Logger;
  #timer: NodeJS.Timeout;
  #working: Promise<void>;

  constructor(home: WorkspaceHome, log: Logger) {
    this.#home = home;
    this.#log = log;
    this.#working = this.#work();
    this.#timer = setInterval(() => {
      this.#working = this.#working.then(() => this.#work());
    }, HOUR_MS);
  }

  /** Stops the job after the current pass. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
  }

  async #work(): Promise<void> {
    const home = this.#home;
    try {
      const done = await reconcile(home);
      for (const each of done) this.#log.info(each, 'workspace');
      await expireRemoved(home);
      await expireCheckpoints({ ...home, before: Date.now() - CHECKPOINT_DAYS * DAY_MS });
    } catch (error) {
      this.#log.warn({ err: error }, 'The workspaces could not be tidied.');
    }
  }
}
