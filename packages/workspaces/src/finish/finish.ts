import {
  BatonError,
  type Finished,
  type FinishPlan,
  type FinishRequest,
  type MergePlan,
} from '@baton/protocol/values';
import { removeWorkspace } from '../lifecycle/remove-workspace.ts';
import type { UserWorkspaceSettings } from '../project/workspace-settings.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import { commitChanges } from './commit-changes.ts';
import { type FinishPlace, finishPlace } from './finish-place.ts';
import { commitPlan, discardPlan, mergePlan, resolvePlan } from './finish-plan.ts';
import { CONFLICT_HINT, mergeBranch } from './merge-branch.ts';
import type { PersonCall } from './person-git.ts';
import { pushPlan } from './push-plan.ts';
import { checkBase, pushWork } from './push-work.ts';
import { startMerge } from './start-merge.ts';

export type FinishOptions = Pick<PersonCall, 'onLine' | 'signal'> & {
  /** State of the plan that the person has read. */
  state?: string | undefined;
  /** Called with a merged commit before its target moves; an error of it prevents the merge. */
  check?: ((commit: string) => Promise<void>) | undefined;
  /** Settings of the user, which decide about those of the project: cleanup scripts and pull requests. */
  user?: UserWorkspaceSettings | undefined;
};

/** Says what a finish would do in a folder; changes and executes nothing. */
export async function planFinish(
  home: WorkspaceHome,
  path: string,
  request: FinishRequest,
  { user }: Pick<FinishOptions, 'user'> = {},
): Promise<FinishPlan> {
  return planIn(home, await finishPlace(home, path), request, user);
}

function planIn(
  home: WorkspaceHome,
  place: FinishPlace,
  request: FinishRequest,
  user?: UserWorkspaceSettings | undefined,
): Promise<FinishPlan> {
  if (request.action === 'commit') return commitPlan(home, place, request);
  if (request.action === 'discard') return discardPlan(home, place);
  if (request.action === 'push' || request.action === 'pr') {
    return pushPlan(home, place, request, user);
  }
  const target = request.into ?? place.record?.base_ref ?? undefined;
  if (target !== undefined) {
    if (request.action === 'resolve') return resolvePlan(home, place, target);
    const { message, method = 'squash' } = request;
    return mergePlan(home, place, { message, method, target });
  }
  throw new BatonError('usage', `Baton does not know where ${place.path} started.`, {
    hint: 'Choose a branch: --into on the command line.',
  });
}

/**
 * Finishes the work in a folder. Rejects with `conflict` before anything happens if the files or branches are no longer
 * those of the plan that the person has read.
 */
export async function finish(
  home: WorkspaceHome,
  path: string,
  request: FinishRequest,
  { state, user, check, ...options }: FinishOptions = {},
): Promise<Finished> {
  const place = await finishPlace(home, path);
  const plan = await planIn(home, place, request, user);
  if (state !== undefined && state !== plan.state) {
    throw new BatonError('conflict', `The files or branches of ${place.path} have changed since.`, {
      hint: 'Nothing was done. Look at the change again.',
    });
  }
  const none = { ...plan, ...NOTHING };
  if (request.action === 'discard') {
    const { record } = place;
    if (!record) throw new BatonError('internal', 'The plan has no worktree.');
    const { workspace_id: id, adopted = false } = record;
    await removeWorkspace({ home, id, force: true, deleteBranch: !adopted, user, ...options });
    return { ...none, discarded: id };
  }
  if (request.action === 'resolve') {
    if (!plan.is_possible || !plan.merge) throw new BatonError('conflict', plan.sentence);
  } else if (plan.merge && plan.merge.conflicts.length > 0) throw conflicting(plan.merge);
  if (request.action === 'commit' && !plan.commit) return none;
  if (request.action === 'pr' && !plan.is_possible) return none;
  await checkBase(place, plan, options);
  const { paths } = request.action === 'commit' ? request : {};
  const done = plan.commit
    ? await commitChanges(home, place, { ...options, paths, message: plan.commit.message })
    : undefined;
  const committed = { ...none, committed: done?.commit ?? null, files: done?.changes.total ?? 0 };
  if (request.action === 'commit') return committed;
  if (request.action === 'resolve') {
    if (!plan.merge) throw new BatonError('internal', 'The merge has no plan.');
    return { ...committed, resolving: await startMerge(place, plan.merge, options) };
  }
  try {
    if (request.action !== 'merge') {
      return { ...committed, ...(await pushWork(home, place, plan, request, options)) };
    }
    const message = plan.message ?? '';
    // A commit has changed the branch, and its hooks may have changed the files.
    const ready = done ? await finishPlace(home, place.path) : place;
    const again = done ? await planIn(home, ready, { ...request, message }) : plan;
    if (!again.merge) throw new BatonError('internal', 'The merge has no plan.');
    const merged = await mergeBranch(home, ready, again.merge, { ...options, check, message });
    return { ...committed, merged };
  } catch (error) {
    throw done ? afterCommit(error, place, request.action) : error;
  }
}

const NOTHING = {
  ...{ committed: null, files: 0, merged: null, resolving: null, discarded: null },
  ...{ pushed: null, pull_request: null },
};

const MAX_NAMED = 10;

function conflicting({ conflicts, target }: MergePlan): BatonError {
  const more = conflicts.length > MAX_NAMED ? ` and ${conflicts.length - MAX_NAMED} more` : '';
  const names = conflicts.slice(0, MAX_NAMED).join(', ');
  return new BatonError(
    'conflict',
    `Nothing was changed: conflicts with ${target} in ${names}${more}.`,
    { hint: CONFLICT_HINT },
  );
}

/** The error of a merge or push whose work was committed before. */
function afterCommit(
  error: unknown,
  { branch }: FinishPlace,
  action: FinishRequest['action'],
): unknown {
  if (!BatonError.is(error)) return error;
  const left = action === 'merge' ? ', and not merged yet' : '';
  const hint = `The work is committed on ${branch}${left}. ${error.hint ?? ''}`.trim();
  return new BatonError(error.code, error.message, { hint, cause: error });
}
