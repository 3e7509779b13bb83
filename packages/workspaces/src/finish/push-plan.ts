import type { FinishPlan, FinishRequest, PullRequestPlan } from '@baton/protocol/values';
import { type Forge, findForge, newPullRequestUrl } from '../forge/forge.ts';
import {
  loadWorkspaceSettings,
  type UserWorkspaceSettings,
} from '../project/workspace-settings.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import { draftMessage } from './draft-message.ts';
import { type FinishPlace, hooksAmong, refuseUnready } from './finish-place.ts';
import { authorIn, commitPlanOf, commitSentence, count, planFields } from './finish-plan.ts';
import { commitsBetween, detached } from './plan-merge.ts';
import { type PushBase, type PushTarget, pushBase, pushTarget } from './push-target.ts';

export type PushRequest = Extract<FinishRequest, { action: 'push' | 'pr' }>;

/** Says what a push would do, with the commit before it and the pull request after it. Needs no network. */
export async function pushPlan(
  home: WorkspaceHome,
  place: FinishPlace,
  request: PushRequest,
  user: UserWorkspaceSettings | undefined,
): Promise<FinishPlan> {
  refuseUnready(home, place);
  const { path, branch, record, changes } = place;
  if (branch === undefined) throw detached(place);
  const target = await pushTarget(place, request.remote);
  const isPr = request.action === 'pr';
  const base = isPr ? await pushBase(place, target, request.into) : undefined;
  const subjects = base?.commit ? await subjectsSince(place, base.commit) : [];
  const isDirty = changes.total > 0;
  const [line = ''] = draftMessage({
    branch: record || base ? branch : undefined,
    changes,
    subjects: isDirty ? [] : subjects,
  }).split('\n');
  const text = (isPr ? request.title : request.message) ?? line;
  const author = isDirty ? await authorIn(place) : null;
  const commit = isDirty ? await commitPlanOf(place, changes, text) : null;
  const hooks = await hooksAmong(place, ['pre-push']);
  const push = { remote: target.remote, url: target.url.shown, branch, hooks };
  const all = commit ? [...subjects, text] : subjects;
  const pr =
    isPr && base
      ? await pullRequestPlan(place, { request, target, base, subjects: all, title: text, user })
      : null;
  const { commit: _seen, ...where } = base ?? { commit: undefined };
  return {
    ...planFields(place, request.action, JSON.stringify([target.remote, target.url.shown, where])),
    // Of a branch without a commit of its own, a forge makes no pull request.
    is_possible: !isPr || base?.commit === undefined || all.length > 0,
    message: isPr ? null : text,
    author,
    commit,
    push,
    pr,
    sentence:
      isPr && base?.commit !== undefined && all.length === 0
        ? `${base.branch} already has everything that is in ${branch}.`
        : [
            ...(commit && author ? [commitSentence(place, commit, author)] : []),
            `Pushes ${branch} of ${path} to ${target.remote} (${push.url}).`,
            ...(hooks.length > 0 ? [`Runs ${count(hooks.length, 'hook')}: ${hooks.join()}.`] : []),
            ...(pr ? [pullRequestSentence(pr, target)] : []),
          ].join(' '),
  };
}

/** Subjects of the commits that a base does not have, oldest first. */
async function subjectsSince({ repository, head }: FinishPlace, base: string): Promise<string[]> {
  return (await commitsBetween(repository, base, head)).map(({ subject }) => subject);
}

type PullRequestFacts = {
  request: Extract<FinishRequest, { action: 'pr' }>;
  target: PushTarget;
  base: PushBase;
  subjects: readonly string[];
  title: string;
  user: UserWorkspaceSettings | undefined;
};

async function pullRequestPlan(
  place: FinishPlace,
  { request, target, base, subjects, title, user }: PullRequestFacts,
): Promise<PullRequestPlan> {
  // Settings in the worktree itself may be those of an agent.
  const folder = mainFolder(place);
  const { pullRequest = {} } = (await loadWorkspaceSettings({ folder, user })).settings;
  const forge = await findForge(base.url, { folder: place.path, workspaces: [folder] });
  const { branch } = target;
  return {
    base: base.branch,
    base_remote: base.remote,
    title,
    body: request.body ?? bodyOf(subjects, title),
    draft: request.draft ?? pullRequest.draft ?? false,
    labels: request.labels ?? pullRequest.labels ?? [],
    reviewers: request.reviewers ?? pullRequest.reviewers ?? [],
    program: forge.program ?? null,
    word: wordOf(forge),
    open_url:
      newPullRequestUrl(forge.kind, {
        to: base.url,
        base: base.branch,
        from: target.url,
        branch,
      }) ?? null,
  };
}

/** The folder of the user that the work belongs to. */
export function mainFolder({ record, repository }: FinishPlace): string {
  return record?.repository ?? repository.mainRoot;
}

function wordOf({ kind }: Forge): PullRequestPlan['word'] {
  return kind === 'gitlab' ? 'merge request' : 'pull request';
}

/** Lists the commits; a single one says no more than the title. */
function bodyOf(subjects: readonly string[], title: string): string {
  if (subjects.length === 1 && subjects[0] === title) return '';
  return subjects.map((each) => `- ${each}`).join('\n');
}

function pullRequestSentence(
  { base, base_remote, title, draft, labels, reviewers, program, word, open_url }: PullRequestPlan,
  { remote }: PushTarget,
): string {
  const into = `${base}${base_remote === remote ? '' : ` of ${base_remote}`}`;
  if (program) {
    const more = [
      ...(labels.length > 0
        ? [`with the ${labels.length === 1 ? 'label' : 'labels'} ${labels.join(', ')}`]
        : []),
      ...(reviewers.length > 0 ? [`for review by ${reviewers.join(', ')}`] : []),
    ];
    const what = `${draft ? 'draft ' : ''}${word} "${title}" into ${into}`;
    return `Makes the ${[what, ...more].join(' ')}, unless the branch has an open one.`;
  }
  if (!open_url) return `Makes no ${word}, because the server is not known to have any.`;
  return `Then gives the page on which you can make the ${word} into ${into}, because no program is signed in there that could.`;
}
