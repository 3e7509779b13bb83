import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  BatonError,
  type CommitPlan,
  type FinishPlan,
  type MergeMethod,
  type MergePlan,
} from '@baton/protocol/values';
import type { WorkspaceHome } from '../workspace-home.ts';
import type { Loss } from '../worktree/inspect-worktree.ts';
import { removalCheck } from '../worktree/remove-worktree.ts';
import { chosenChanges } from './commit-changes.ts';
import { draftMessage } from './draft-message.ts';
import {
  commitHooks,
  type FinishPlace,
  hasMarkers,
  refuseBusy,
  refuseUnready,
} from './finish-place.ts';
import { personIn } from './person-git.ts';
import { listed, planMerge } from './plan-merge.ts';

/** Files in a plan; more of them are only counted. */
const MAX_PATHS = 1000;
/** Files that are searched for conflict markers. */
const MAX_READ = 200;

type CommitRequest = { message?: string | undefined; paths?: readonly string[] | undefined };

/** Says what a commit of the changed files would do. */
export async function commitPlan(
  home: WorkspaceHome,
  place: FinishPlace,
  { message, paths }: CommitRequest,
): Promise<FinishPlan> {
  refuseUnready(home, place);
  const author = await authorIn(place);
  const changes = chosenChanges(place, paths);
  // Of a branch that a person made, such as main, the name says nothing about the change.
  const draft = place.merging
    ? `Merge ${place.merging.slice(0, 10)} into ${place.branch}`
    : draftMessage({ branch: place.record && place.branch, changes });
  const text = message ?? draft;
  const commit = needsCommit(place) ? await commitPlanOf(place, changes, text) : null;
  return {
    ...planFields(place, 'commit'),
    is_possible: commit !== null,
    message: text,
    author,
    commit,
    sentence: commit
      ? commitSentence(place, commit, author)
      : `Nothing to commit in ${place.path}.`,
  };
}

/** True if files have changed, or a merge waits for its commit, even one that keeps all files as they are. */
function needsCommit({ changes, merging }: FinishPlace): boolean {
  return changes.total > 0 || merging !== undefined;
}

/** The fields that all plans for a place have. */
export function planFields(place: FinishPlace, action: FinishPlan['action'], target = '') {
  const state = createHash('sha256')
    .update([place.path, place.branch, place.head, place.snapshot.tree, target].join('\0'))
    .digest('hex');
  const none = { message: null, author: null, commit: null, merge: null, push: null, pr: null };
  return {
    ...none,
    action,
    path: place.path,
    branch: place.branch ?? null,
    state,
    is_possible: true,
  };
}

type MergeRequest = { message?: string | undefined; method: MergeMethod; target: string };

/** Says what a merge would do, with the commit of uncommitted changes before it. */
export async function mergePlan(
  home: WorkspaceHome,
  place: FinishPlace,
  { message, method, target }: MergeRequest,
): Promise<FinishPlan> {
  refuseUnready(home, place);
  const author = await authorIn(place);
  const merge = await planMerge(home, place, { method, target });
  const { changes } = place;
  const isDirty = needsCommit(place);
  const hasOwnWork = changes.total > 0 && !place.merging;
  const subjects = merge.commits
    .map(({ subject }) => subject)
    .filter((subject) => !/^Merge (?:branch )?'?\S+ into /.test(subject));
  const draft =
    method === 'merge'
      ? `Merge branch '${place.branch}' into ${target}`
      : draftMessage({ branch: place.branch, changes, subjects: hasOwnWork ? [] : subjects });
  const text = message ?? draft;
  // A merge commit has a message of its own.
  const ownMessage = method === 'merge' ? draftMessage({ branch: place.branch, changes }) : text;
  const work = place.merging ? `Merge branch '${target}' into ${place.branch}` : ownMessage;
  const commit = isDirty ? await commitPlanOf(place, changes, work) : null;
  const first = commit ? `${commitSentence(place, commit, author)} ` : '';
  const { conflicts } = merge;
  return {
    ...planFields(place, 'merge', merge.from),
    is_possible: conflicts.length === 0,
    message: text,
    author,
    commit,
    merge,
    sentence:
      conflicts.length > 0
        ? conflictSentence(place, merge)
        : `${first}${mergeSentence(place, merge, { text, commit })}`,
  };
}

/** Says what starting a merge for its conflicts would do. */
export async function resolvePlan(
  home: WorkspaceHome,
  place: FinishPlace,
  target: string,
): Promise<FinishPlan> {
  const found = await mergePlan(home, place, { method: 'squash', target });
  const { commit, author, merge } = found;
  const conflicts = merge?.conflicts ?? [];
  const first = commit && author ? `${commitSentence(place, commit, author)} ` : '';
  return {
    ...found,
    action: 'resolve',
    is_possible: conflicts.length > 0,
    sentence:
      conflicts.length > 0
        ? `${first}Starts a merge of ${target} into ${place.branch} in ${place.path}, and leaves the conflicts in ${listed(conflicts)}.`
        : `${place.branch} has no conflicts with ${target}.`,
  };
}

/** Says what is lost when a worktree of Baton is discarded. */
export async function discardPlan(home: WorkspaceHome, place: FinishPlace): Promise<FinishPlan> {
  const { path, branch, record } = place;
  if (!record) {
    throw new BatonError('not_found', `${path} is not a worktree of Baton.`, {
      hint: 'Only those can be restored. "baton workspaces adopt" makes it one.',
    });
  }
  refuseBusy(home, path, record);
  const { losses } = await removalCheck(home, record.workspace_id);
  // The files are kept, but not that they belong to a merge.
  const isKept = ({ kind }: Loss) => kind !== 'gaps' && kind !== 'operation';
  const texts = (which: readonly Loss[]) => which.map(({ text }) => text).join(', ');
  const [kept, gone] = [losses.filter(isKept), losses.filter((loss) => !isKept(loss))];
  const sentence = [
    `Removes ${path}${record.adopted ? '; its branch stays' : ` and its branch ${branch ?? record.branch}`}.`,
    ...(kept.length > 0 ? [`It has ${texts(kept)}, which can be restored for 30 days.`] : []),
    ...(gone.length > 0 ? [`This is gone for good: ${texts(gone)}.`] : []),
  ].join(' ');
  return { ...planFields(place, 'discard'), sentence };
}

export async function authorIn({ path }: FinishPlace): Promise<string> {
  const { name, email } = await personIn(path);
  return `${name} <${email}>`;
}

export async function commitPlanOf(
  place: FinishPlace,
  { files: changed, total: files, additions, deletions }: FinishPlace['changes'],
  message: string,
): Promise<CommitPlan> {
  const left = place.snapshot.gaps.flatMap(({ paths }) => [...paths]);
  const hooks = await commitHooks(place);
  const paths = changed.slice(0, MAX_PATHS).map(({ path }) => path);
  const marked = paths.slice(0, MAX_READ).filter((path) => hasMarkers(join(place.path, path)));
  return {
    message,
    branch: place.branch ?? null,
    files,
    additions,
    deletions,
    paths,
    marked,
    hooks,
    left,
  };
}

export function commitSentence(
  { path, branch }: FinishPlace,
  { message, files, additions, deletions, marked, hooks, left }: CommitPlan,
  author: string,
): string {
  const where = branch ? `on ${branch}` : `on the detached HEAD of ${path}`;
  const [subject = ''] = message.split('\n');
  const parts = [
    `Commits ${count(files, 'file')} (+${additions} −${deletions}) ${where} as ${author}: "${subject}".`,
  ];
  if (marked.length > 0) parts.push(`Conflict markers are in ${listed(marked)}.`);
  if (hooks.length > 0) parts.push(`Runs ${count(hooks.length, 'hook')}: ${hooks.join(', ')}.`);
  if (left.length > 0) {
    parts.push(`Not part of it: ${left.join(', ')}.`);
  }
  return parts.join(' ');
}

function conflictSentence(
  { branch }: FinishPlace,
  { method, target, conflicts }: MergePlan,
): string {
  const files = listed(conflicts);
  return method === 'rebase'
    ? `${branch} cannot be rebased onto ${target}: its commits conflict in ${files}. Squash or merge may work.`
    : `${branch} cannot be merged into ${target}: both changed ${files}.`;
}

function mergeSentence(
  { branch, path }: FinishPlace,
  { method, target, commits, checkout, from }: MergePlan,
  { text, commit }: { text: string; commit: CommitPlan | null },
): string {
  const number = commits.length + (commit ? 1 : 0);
  const [subject = ''] = text.split('\n');
  const how = {
    squash: `as one commit, "${subject}",`,
    merge: `with a merge commit, "${subject}",`,
    rebase: `by repeating ${count(number, 'commit')} on top of it,`,
  }[method];
  const where = checkout
    ? `The folder ${checkout}, which has ${target} checked out, is updated.`
    : `${target} is not checked out anywhere.`;
  const what = method === 'rebase' ? '' : ` (${count(number, 'commit')})`;
  return `Merges ${branch}${what} into ${target} ${how} which moves ${target} from ${from.slice(0, 10)}. ${where} ${path} stays as it is.`;
}

export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
