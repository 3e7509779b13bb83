import { BatonError } from '@baton/protocol/values';
import type { WorkspaceOperations } from '../operations/operations.ts';
import type { InheritedVariables } from '../worktree/workspace-files.ts';
import { setUpConfined } from './confined-set-up.ts';
import { type ConfinedPlace, HelperProcess, reportedError } from './helper-process.ts';

/** A worktree of a large repository takes long to restore. */
const TIMEOUT_MS = 600_000;

/** Returns the operations, each carried out by a helper in the isolation of a folder. */
export function confinedOperations(
  place: ConfinedPlace,
  folder: string,
  inherited?: InheritedVariables,
): WorkspaceOperations {
  const call =
    <Result>(name: keyof WorkspaceOperations) =>
    async (args?: unknown) =>
      (await callHelper(place, folder, { call: name, args })) as Result;
  return {
    changes: call('changes'),
    diff: call('diff'),
    content: call('content'),
    checkpoints: call('checkpoints'),
    sessions: call('sessions'),
    undo: call('undo'),
    fork: call('fork'),
    inspect: call('inspect'),
    records: call('records'),
    list: call('list'),
    settings: call('settings'),
    setUp: (request, calls) => setUpConfined({ ...calls, place, folder, request, inherited }),
    remove: call('remove'),
    restore: call('restore'),
    planFinish: call('planFinish'),
    finish: call('finish'),
    tidy: call('tidy'),
  };
}

async function callHelper(
  place: ConfinedPlace,
  folder: string,
  request: { call: keyof WorkspaceOperations; args: unknown },
): Promise<unknown> {
  const answer = Promise.withResolvers<unknown>();
  const helper = await HelperProcess.start(place, folder, (report) => {
    if ('result' in report) answer.resolve(report.result);
    else if ('error' in report) answer.reject(reportedError(report.error));
  });
  const timer = setTimeout(() => {
    helper.end(new BatonError('git_failed', `${request.call} took too long and was stopped.`));
  }, TIMEOUT_MS);
  void helper.gone.then((problem) => answer.reject(problem));
  try {
    helper.begin(request);
    return await answer.promise;
  } finally {
    clearTimeout(timer);
    await helper.close();
  }
}
