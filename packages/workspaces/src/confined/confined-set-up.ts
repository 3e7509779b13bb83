import { BatonError } from '@baton/protocol/values';
import { outputOf } from '../lifecycle/set-up-again.ts';
import type { SetUpCalls } from '../operations/operations.ts';
import { type Setup, setupRunner } from '../turn/set-up-workspace.ts';
import type { InheritedVariables } from '../worktree/workspace-files.ts';
import { type ConfinedPlace, HelperProcess, reportedError } from './helper-process.ts';
import type { HelperReport, SetUpRequest } from './messages.ts';

type ConfinedSetUp = SetUpCalls & {
  place: ConfinedPlace;
  folder: string;
  request: SetUpRequest;
  inherited?: InheritedVariables | undefined;
};

/** Time that a helper has to end on its own after it was asked to. */
const ABORT_MS = 5000;

/**
 * Sets a worktree up again: a helper in the isolation copies files and uses the cache, and the script runs in the sandbox
 * of the session, which may be stricter.
 */
export async function setUpConfined({
  place,
  folder,
  request,
  inherited,
  onStart,
  onOutput,
  confine,
  signal,
}: ConfinedSetUp): Promise<void> {
  const done = Promise.withResolvers<void>();
  const run = setupRunner({ onEvent: outputOf(onOutput), confine, signal, inherited });
  let timer: NodeJS.Timeout | undefined;
  const take = (report: HelperReport) => {
    if ('started' in report) onStart?.();
    else if ('output' in report) onOutput(String(report.output));
    else if ('setup' in report) void runScript(report.setup);
    else if ('error' in report) done.reject(reportedError(report.error));
    else if ('result' in report) done.resolve();
  };
  const helper = await HelperProcess.start(place, folder, take);
  void helper.gone.then((problem) => done.reject(problem));
  const abort = () => {
    helper.send({ turn: 'abort' });
    timer = setTimeout(() => helper.end(stopped()), ABORT_MS);
  };
  signal?.addEventListener('abort', abort, { once: true });
  try {
    helper.begin({ call: 'setUp', args: request });
    if (signal?.aborted) abort();
    await done.promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    await helper.close();
  }

  async function runScript(setup: Setup): Promise<void> {
    try {
      helper.send({ setup: { exitCode: await run(setup) } });
    } catch (error) {
      const known = BatonError.is(error) ? error : new BatonError('internal', String(error));
      helper.send({ setup: { error: known.toJSON() } });
    }
  }
}

function stopped(): BatonError {
  return new BatonError('interrupted', 'The setup was stopped.');
}
