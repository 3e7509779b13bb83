import type { WorkspaceHome } from '../workspace-home.ts';
import { chosenChanges } from './commit-changes.ts';
import { draftMessage } from './draft-message.ts';
import { commitHooks, type FinishPlace, refuseUnready } from './finish-place.ts';
import { personIn } from './person-git.ts';
import { type MergeMethod, type MergePlan, planMerge } from './plan-merge.ts';

/** Facts about a planned commit. */
type CommitPlan = {
  message: string;
  branch: string | null;
  files: number;
  additions: number;
  deletions: number;
  /** Hooks of the repository that run. */
  hooks: readonly string[];
  /** Files and folders that are not looked at, and so not committed: too large ones, submodules, nested repositories. */
  left: readonly string[];
};

/** The plan of a finish, which a person reads before it happens. */
export type FinishPlan = {
  path: string;
  message: string;
  /** The person in the form of Git, as author of new commits. */
  author: string;
  commit?: CommitPlan | undefined;
  merge?: MergePlan | undefined;
  /** All of it in a sentence or two. */
  sentence: string;
};

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
  const text = message ?? draftMessage({ branch: place.record && place.branch, changes });
  const commit = await planOf(place, changes, text);
  const sentence = commitSentence(place, commit, author);
  return { path: place.path, message: text, author, commit, sentence };
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
  const isDirty = changes.total > 0;
  const subjects = merge.commits.map(({ subject }) => subject);
  const draft =
    method === 'merge'
      ? `Merge branch '${place.branch}' into ${target}`
      : draftMessage({ branch: place.branch, changes, subjects: isDirty ? [] : subjects });
  const text = message ?? draft;
  // A merge commit has a message of its own.
  const work = method === 'merge' ? draftMessage({ branch: place.branch, changes }) : text;
  const commit = isDirty ? await planOf(place, changes, work) : undefined;
  const first = commit ? `${commitSentence(place, commit, author)} ` : '';
  return {
    path: place.path,
    message: text,
    author,
    commit,
    merge,
    sentence: `${first}${mergeSentence(place, merge, { text, commit })}`,
  };
}

async function authorIn({ path }: FinishPlace): Promise<string> {
  const { name, email } = await personIn(path);
  return `${name} <${email}>`;
}

async function planOf(
  place: FinishPlace,
  { total: files, additions, deletions }: FinishPlace['changes'],
  message: string,
): Promise<CommitPlan> {
  const left = place.snapshot.gaps.flatMap(({ paths }) => paths);
  const hooks = await commitHooks(place);
  return { message, branch: place.branch ?? null, files, additions, deletions, hooks, left };
}

function commitSentence(
  { path, branch }: FinishPlace,
  { message, files, additions, deletions, hooks, left }: CommitPlan,
  author: string,
): string {
  const where = branch ? `on ${branch}` : `on the detached HEAD of ${path}`;
  const [subject = ''] = message.split('\n');
  const parts = [
    `Commits ${count(files, 'file')} (+${additions} −${deletions}) ${where} as ${author}: "${subject}".`,
  ];
  if (hooks.length > 0) parts.push(`Runs ${count(hooks.length, 'hook')}: ${hooks.join(', ')}.`);
  if (left.length > 0) {
    parts.push(`Not part of it: ${left.join(', ')}.`);
  }
  return parts.join(' ');
}

function mergeSentence(
  { branch, path }: FinishPlace,
  { method, target, commits, checkout, from }: MergePlan,
  { text, commit }: { text: string; commit: CommitPlan | undefined },
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

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
