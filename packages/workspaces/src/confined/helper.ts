import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { BatonError, type ErrorInfo, errorInfo } from '@baton/protocol/values';
import { setUpAgain } from '../lifecycle/set-up-again.ts';
import { localOperations } from '../operations/operations.ts';
import { Turn } from '../turn/turn.ts';
import { WorkspaceHome } from '../workspace-home.ts';
import { identifyAs } from '../worktree/workspace-owner.ts';
import { reportedError } from './helper-process.ts';
import type { HelperReport, HelperRequest, SetUpRequest, TurnRequest } from './messages.ts';

type HelperStreams = { input: Readable; output: Writable };

/**
 * Carries out one operation, or one turn, on behalf of a daemon or an executor that must not touch the files itself. Runs
 * in the isolation of the session, and ends with the operation or with its input.
 */
export async function runHelper({ input, output }: HelperStreams): Promise<void> {
  const ending = new AbortController();
  const home = new WorkspaceHome({ signal: ending.signal });
  const report = (each: HelperReport) => {
    output.write(`${JSON.stringify(each)}\n`);
  };
  const requests = new Requests(input, () => ending.abort());
  try {
    const first = await requests.call;
    if (!first) return;
    identifyAs(first.self);
    if (first.call === 'turn') {
      await runTurn(first.args as TurnRequest, { home, requests, report, signal: ending.signal });
    } else if (first.call === 'setUp') {
      await runSetUp(first.args as SetUpRequest, { home, requests, report, signal: ending.signal });
    } else {
      const operations = localOperations(home);
      if (!Object.hasOwn(operations, first.call)) {
        throw new BatonError('internal', `No operation ${first.call}.`);
      }
      const act = operations[first.call as keyof typeof operations];
      report({ result: await (act as (args: unknown) => Promise<unknown>)(first.args) });
    }
  } catch (error) {
    report({ error: errorOf(error) });
  }
  requests.close();
  if (output.writableLength > 0) await once(output, 'drain');
}

type HelperParts = {
  home: WorkspaceHome;
  requests: Requests;
  report(each: HelperReport): void;
  signal: AbortSignal;
};

async function runTurn(
  { reportsChanges, ...request }: TurnRequest,
  { home, requests, report, signal }: HelperParts,
): Promise<void> {
  const turn = await Turn.begin({
    ...request,
    home,
    signal,
    onEvent: (event) => report({ event }),
    ...(reportsChanges ? { onChanges: (changes) => report({ changes }) } : {}),
    onWorktree: (worktree) => report({ worktree }),
    runSetup: (setup) => {
      report({ setup });
      return requests.setup();
    },
  });
  requests.onProgress = () => turn.progress();
  requests.onRefresh = () => void turn.refresh().then(() => report({ refreshed: true }));
  report({ result: { cwd: turn.cwd, env: turn.env } });
  await requests.ended;
  await turn.end();
  report({ result: {} });
}

async function runSetUp(
  request: SetUpRequest,
  { home, requests, report, signal }: HelperParts,
): Promise<void> {
  await setUpAgain({
    ...request,
    home,
    signal,
    onStart: () => report({ started: true }),
    onOutput: (output) => report({ output }),
    runSetup: (setup) => {
      report({ setup });
      return requests.setup();
    },
  });
  report({ result: {} });
}

/** The requests of a helper as they arrive. */
class Requests {
  /** The first request; undefined if the input ended without one. */
  readonly call: Promise<Extract<HelperRequest, { call: string }> | undefined>;
  /** Settles when the turn is to end. */
  readonly ended: Promise<void>;
  onProgress = () => {};
  onRefresh = () => {};
  #lines: ReturnType<typeof createInterface>;
  #setup: PromiseWithResolvers<number | null> | undefined;

  constructor(input: Readable, onGone: () => void) {
    const call = Promise.withResolvers<Extract<HelperRequest, { call: string }> | undefined>();
    const ended = Promise.withResolvers<void>();
    this.call = call.promise;
    this.ended = ended.promise;
    this.#lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    this.#lines.on('line', (line) => {
      const request = JSON.parse(line) as HelperRequest;
      if ('call' in request) call.resolve(request);
      else if ('setup' in request) this.#answer(request.setup);
      else if (request.turn === 'progress') this.onProgress();
      else if (request.turn === 'refresh') this.onRefresh();
      else if (request.turn === 'end') ended.resolve();
      else onGone();
    });
    this.#lines.on('close', () => {
      call.resolve(undefined);
      ended.resolve();
      onGone();
    });
  }

  /** Waits for the result of the setup script. */
  setup(): Promise<number | null> {
    this.#setup = Promise.withResolvers();
    return this.#setup.promise;
  }

  close(): void {
    this.#lines.removeAllListeners('close');
    this.#lines.close();
  }

  #answer(result: Extract<HelperRequest, { setup: unknown }>['setup']): void {
    if ('error' in result) {
      this.#setup?.reject(reportedError(result.error));
      return;
    }
    this.#setup?.resolve(result.exitCode);
  }
}

/** Errors that say what the account lacks; an error of Node would only be an internal one. */
export function errorOf(error: unknown): ErrorInfo {
  if (BatonError.is(error)) return error.toJSON();
  const { code, message, path } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return errorInfo('forbidden', `The isolated account has no access: ${message}`, {
      hint: `Give the account of executors.unix_user access to ${path ?? 'the folder'}, and a home folder of its own.`,
    });
  }
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return errorInfo('cwd_missing', `The isolated account does not find ${path}.`);
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') return errorInfo('no_resources', message);
  return errorInfo('internal', message ?? String(error));
}
