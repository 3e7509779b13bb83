import { isAbsolute } from 'node:path';
import { isInside } from '@baton/config/paths/is-inside';
import type { Confine } from '@baton/process/isolation/confine';
import { BatonError, type WorkspaceEvent } from '@baton/protocol/values';
import { userWorkspaceSettings } from '../project/workspace-settings.ts';
import { setupRunner } from '../turn/set-up-workspace.ts';
import type { Turn } from '../turn/turn.ts';
import type { TurnOptions } from '../turn/turn-options.ts';
import { trustLike } from '../turn/worktree-trust.ts';
import type { FoundPlace } from './confined-place.ts';
import { HelperProcess, reportedError } from './helper-process.ts';
import type { HelperReport, TurnPlace } from './messages.ts';

type ConfinedTurnOptions = Omit<TurnOptions, 'home' | 'runSetup' | 'user' | 'onWorktree'> & {
  place: FoundPlace;
  /** Runs setup scripts in the sandbox of the session, which may be stricter than that of the helper. */
  confine: Confine;
};

/** Time that a helper has to end on its own after it was asked to. */
const ABORT_MS = 5000;
/** Time for the last checkpoint. What runs in the isolation could stop the helper for ever. */
const END_MS = 120_000;

/** Events of helpers. An agent of the same account could make one report anything else, such as the end of the task. */
const OF_HELPERS: ReadonlySet<string> = new Set<WorkspaceEvent['type']>([
  ...(['notice', 'workspace.updated', 'checkpoint.created', 'changes.updated'] as const),
]);

/** The parts of a turn that its caller uses. */
export type AnyTurn = Pick<Turn, 'cwd' | 'env' | 'progress' | 'refresh' | 'end'>;

/**
 * Begins a turn whose files are read and written only by a helper, in the isolation of the session. Without a helper the
 * agent works in place all the same, but nothing is kept.
 */
export async function beginConfinedTurn(options: ConfinedTurnOptions): Promise<AnyTurn> {
  const turn = new ConfinedTurn(options);
  await turn.begin();
  return turn;
}

class ConfinedTurn implements AnyTurn {
  #options: ConfinedTurnOptions;
  #helper: HelperProcess | undefined;
  #result = Promise.withResolvers<unknown>();
  /** The reports, one after the other. */
  #taken: Promise<void> = Promise.resolve();
  #place: TurnPlace;
  #onRefreshed = () => {};

  constructor(options: ConfinedTurnOptions) {
    this.#options = options;
    this.#place = { cwd: options.cwd, env: {} };
  }

  get cwd(): string {
    return this.#place.cwd;
  }

  get env(): Readonly<Record<string, string>> {
    return this.#place.env;
  }

  async begin(): Promise<void> {
    const { place, signal, workspace, request } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    let isGone = false;
    const abort = () => {
      this.#helper?.send({ turn: 'abort' });
      timer = setTimeout(() => this.#helper?.end(interrupted()), ABORT_MS);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      this.#helper = await HelperProcess.start(place, place.folder, (report) => this.#take(report));
      void this.#helper.gone.then((problem) => {
        isGone = true;
        this.#result.reject(problem);
      });
      this.#helper.begin({ call: 'turn', args: this.#request() });
      if (signal?.aborted) abort();
      this.#place = placeOf(await this.#result.promise);
      this.#result = Promise.withResolvers();
      // The helper may end before the turn does.
      this.#result.promise.catch(() => {});
      const { reject } = this.#result;
      void this.#helper.gone.then(reject);
    } catch (error) {
      // An error that a helper reports is one of the turn.
      const isBroken = isGone;
      const helper = this.#helper;
      this.#helper = undefined;
      await helper?.close();
      await this.#taken;
      const needsFolder = workspace?.kind === 'worktree' || request?.kind === 'worktree';
      if (!isBroken || needsFolder || !BatonError.is(error) || signal?.aborted) throw error;
      await this.#tell(error.message);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  progress(): void {
    this.#helper?.send({ turn: 'progress' });
  }

  async refresh(): Promise<void> {
    const helper = this.#helper;
    if (!helper) return;
    const refreshed = Promise.withResolvers<void>();
    this.#onRefreshed = refreshed.resolve;
    helper.send({ turn: 'refresh' });
    await Promise.race([refreshed.promise, helper.gone]);
  }

  async end(): Promise<void> {
    const helper = this.#helper;
    this.#helper = undefined;
    if (!helper) return;
    helper.send({ turn: 'end' });
    const late = new BatonError('git_failed', 'The helper did not answer in time.');
    const timer = setTimeout(() => helper.end(late), END_MS);
    try {
      await this.#result.promise;
      await this.#taken;
    } catch (error) {
      await this.#taken;
      await this.#tell(error instanceof Error ? error.message : String(error));
    } finally {
      clearTimeout(timer);
      await helper.close();
    }
  }

  #request() {
    const { place: _place, confine: _confine, ...options } = this.#options;
    const { onEvent: _onEvent, onChanges, signal: _signal, ...request } = options;
    return { ...request, reportsChanges: onChanges !== undefined, user: userWorkspaceSettings() };
  }

  #take(report: HelperReport): void {
    const { onEvent } = this.#options;
    const result = this.#result;
    this.#taken = this.#taken.then(async () => {
      try {
        if ('event' in report) {
          if (OF_HELPERS.has(report.event.type)) await onEvent(report.event);
        } else if ('setup' in report) await this.#setUp(report.setup);
        else if ('changes' in report) await this.#options.onChanges?.(report.changes);
        else if ('refreshed' in report) this.#onRefreshed();
        else if ('worktree' in report) this.#trust(report.worktree);
        else if ('error' in report) result.reject(reportedError(report.error));
        else if ('result' in report) result.resolve(report.result);
      } catch (error) {
        result.reject(error);
      }
    });
  }

  async #setUp(setup: Extract<HelperReport, { setup: unknown }>['setup']): Promise<void> {
    const { onEvent, confine, signal } = this.#options;
    try {
      const exitCode = await setupRunner({ onEvent, confine, signal })(setup);
      this.#helper?.send({ setup: { exitCode } });
    } catch (error) {
      const known = BatonError.is(error) ? error : new BatonError('internal', String(error));
      this.#helper?.send({ setup: { error: known.toJSON() } });
    }
  }

  /** Only for a folder of worktrees: what is in the isolation must not make any other folder trusted. */
  #trust(path: string): void {
    const { place, cwd } = this.#options;
    if (typeof path === 'string' && isInside(place.worktrees, path)) trustLike(cwd, path);
  }

  async #tell(problem: string): Promise<void> {
    const message = `The files of this turn are not kept, so it cannot be undone: ${problem}`;
    await this.#options.onEvent({ type: 'notice', level: 'warning', code: 'workspace', message });
  }
}

function interrupted(): BatonError {
  return new BatonError('interrupted', 'The preparation of the workspace was stopped.');
}

function placeOf(result: unknown): TurnPlace {
  const { cwd, env } = (result ?? {}) as Partial<TurnPlace>;
  const isEnv = typeof env === 'object' && env !== null;
  if (typeof cwd === 'string' && isAbsolute(cwd) && isEnv) {
    const pairs = Object.entries(env).filter(([, value]) => typeof value === 'string');
    return { cwd, env: Object.fromEntries(pairs) };
  }
  throw new BatonError('internal', 'The helper did not say where the agent works.');
}
