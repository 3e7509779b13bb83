import type { WorkspaceHome, WorkspaceOperations } from '@baton/workspaces';
import type { Logger } from 'pino';

const HOUR_MS = 60 * 60 * 1000;
const CHECKPOINT_DAYS = 30;
const DAY_MS = 24 * HOUR_MS;

type Tools = {
  workspaces: WorkspaceHome;
  operations(request: { repositories: readonly string[] }): Promise<WorkspaceOperations>;
};

/**
 * Finishes what killed processes left of worktrees, and deletes expired checkpoints and removed worktrees; at the start
 * and then every hour, until it is closed.
 */
export class WorkspaceJob {
  #tools: Tools;
  #log: Logger;
  #timer: NodeJS.Timeout;
  #working: Promise<void>;

  constructor(tools: Tools, log: Logger) {
    this.#tools = tools;
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
    const { workspaces, operations } = this.#tools;
    try {
      const repositories = workspaces.files.list().flatMap(({ repository }) => repository ?? []);
      const { tidy } = await operations({ repositories: [...new Set(repositories)] });
      const done = await tidy({ before: Date.now() - CHECKPOINT_DAYS * DAY_MS });
      for (const each of done) this.#log.info(each, 'workspace');
    } catch (error) {
      this.#log.warn({ err: error }, 'The workspaces could not be tidied.');
    }
  }
}
