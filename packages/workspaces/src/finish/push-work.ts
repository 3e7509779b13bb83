import { BatonError, type Finished, type FinishPlan } from '@baton/protocol/values';
import { makePullRequest } from '../forge/pull-requests.ts';
import type { WorkspaceHome } from '../workspace-home.ts';
import { HEADS } from '../worktree/user-repository.ts';
import type { FinishPlace } from './finish-place.ts';
import { type PersonCall, personGit } from './person-git.ts';
import { mainFolder, type PushRequest } from './push-plan.ts';
import { pushBase, pushTarget } from './push-target.ts';

type PushOptions = Pick<PersonCall, 'onLine' | 'signal'>;
type Pushed = Pick<Finished, 'pushed' | 'pull_request'>;

/** Rejects with `not_found` unless the remote has the base of a pull request: nothing is committed or pushed for it. */
export async function checkBase(
  { path }: FinishPlace,
  { pr }: Pick<FinishPlan, 'pr'>,
  { signal }: PushOptions,
): Promise<void> {
  if (!pr) return;
  const { base, base_remote: remote } = pr;
  const args = ['ls-remote', '--heads', '--', remote, `${HEADS}${base}`];
  const { lines } = await personGit(args, { cwd: path, signal });
  if (lines.length > 0) return;
  throw new BatonError('not_found', `${remote} has no branch "${base}".`, {
    hint: 'Nothing was done. Push it first, or choose another branch with --into.',
  });
}

/** Pushes the branch of a place as planned, and makes its pull request. */
export async function pushWork(
  home: WorkspaceHome,
  place: FinishPlace,
  { push, pr }: Pick<FinishPlan, 'push' | 'pr'>,
  request: PushRequest,
  options: PushOptions,
): Promise<Pushed> {
  if (!push) throw new BatonError('internal', 'The push has no plan.');
  const { remote, branch } = push;
  await pushBranch(place, push, options);
  const pushed = { remote, branch };
  if (!pr?.program) return { pushed, pull_request: null };
  const target = await pushTarget(place, remote);
  const base = await pushBase(place, target, request.action === 'pr' ? request.into : undefined);
  const wish = { ...pr, to: base.url, from: target.url, branch };
  const call = { folder: place.path, workspaces: [mainFolder(place)], signal: options.signal };
  try {
    const made = await makePullRequest(pr.program, wish, call);
    const { url, number } = made;
    const { record } = place;
    if (record) home.files.change(record.workspace_id, { pull_request: { url, number } });
    return { pushed, pull_request: made };
  } catch (error) {
    throw afterPush(error, pushed, pr.open_url);
  }
}

/** The error of a pull request whose branch was pushed before. */
function afterPush(
  error: unknown,
  { remote, branch }: NonNullable<Pushed['pushed']>,
  url: string | null,
): unknown {
  if (!BatonError.is(error)) return error;
  const page = url ? [`You can also make it yourself: ${url}`] : [];
  const hint = [`${branch} is pushed to ${remote}.`, error.hint, ...page].filter(Boolean).join(' ');
  return new BatonError(error.code, error.message, { hint, cause: error });
}

/** Lines of output in an error. */
const ERROR_LINES = 20;

async function pushBranch(
  { path: cwd }: FinishPlace,
  { remote, branch, hooks }: NonNullable<FinishPlan['push']>,
  { onLine, signal }: PushOptions,
): Promise<void> {
  const lines: string[] = [];
  const name = `${HEADS}${branch}`;
  try {
    await personGit(['push', '--porcelain', '--set-upstream', '--', remote, `${name}:${name}`], {
      cwd,
      signal,
      // The lines that say why are translated otherwise.
      env: { LANGUAGE: 'en' },
      onLine(line, stream) {
        lines.push(line);
        // What Git says for programs is on standard output, between that of hooks.
        if (stream === 'stderr' || !STATUS.test(line)) onLine?.(line, stream);
      },
    });
  } catch (error) {
    if (!BatonError.is(error) || signal?.aborted) throw error;
    throw refused(lines, { remote, branch, hooks, cwd, cause: error });
  }
}

/** Lines of `git push --porcelain`. */
const STATUS = /^(To |Done$|[ +\-*!=]\t|branch '.*' set up to track )/;

type Refusal = {
  remote: string;
  branch: string;
  hooks: readonly string[];
  cwd: string;
  cause: BatonError;
};

/** The error of a push that failed, with what to do. */
function refused(
  lines: readonly string[],
  { remote, branch, hooks, cwd, cause }: Refusal,
): BatonError {
  const status = lines.find((line) => line.startsWith('!\t')) ?? '';
  if (/\[rejected\]/.test(status)) {
    return new BatonError('conflict', `${remote} has work on ${branch} that is not here.`, {
      hint: `Nothing was pushed, and nothing is ever forced. Run "git pull --rebase ${remote} ${branch}" in ${cwd}, and try again.`,
      cause,
    });
  }
  const words = lines
    .filter((line) => !STATUS.test(line) && !line.startsWith('error: failed to push some refs'))
    .slice(-ERROR_LINES)
    .join('\n')
    .trim();
  if (status) {
    return new BatonError('git_failed', `${remote} refused the push of ${branch}: ${words}`, {
      hint: 'Its output says why, such as a protected branch or a rule of the server.',
      cause,
    });
  }
  const isFatal = lines.some((line) => line.startsWith('fatal:'));
  if (hooks.includes('pre-push') && !isFatal) {
    return new BatonError('git_failed', `The pre-push hook stopped the push: ${words}`, {
      hint: 'Fix what it says, and try again.',
      cause,
    });
  }
  return new BatonError('git_failed', `git push failed: ${words || cause.message}`, {
    hint: 'Its output says why. Check the remote and your credentials with "git push".',
    cause,
  });
}
