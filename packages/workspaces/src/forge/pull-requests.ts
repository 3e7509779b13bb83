import { isObject } from '@baton/config/values/json';
import { BatonError, type PullRequestPlan } from '@baton/protocol/values';
import { type ForgeCall, type ForgeProgram, runForgeProgram } from './forge-program.ts';
import { ownerOf, type RemoteUrl } from './remote-url.ts';

type PullRequestWish = Pick<
  PullRequestPlan,
  'base' | 'title' | 'body' | 'draft' | 'labels' | 'reviewers'
> & {
  /** The repository that gets the work. */
  to: RemoteUrl;
  /** The repository and branch of the work. */
  from: RemoteUrl;
  branch: string;
};

type MadePullRequest = {
  url: string;
  number: number;
  /** False if the branch had an open one before. */
  is_new: boolean;
  /** The error after it was made, so that it may lack labels or reviewers. */
  problem?: string | undefined;
};

type Call = Pick<ForgeCall, 'folder' | 'workspaces' | 'signal'>;
type Command = ForgeCall & { host: string };
type Open = Pick<MadePullRequest, 'url' | 'number'> & { base: string };

/**
 * Makes the pull request of a branch once: an open one is returned as it is, and so is one that was made although the answer
 * was lost.
 */
export async function makePullRequest(
  program: ForgeProgram,
  wish: PullRequestWish,
  call: Call,
): Promise<MadePullRequest> {
  const known = await openOne(program, wish, call);
  if (known) return { ...known, is_new: false };
  let problem: unknown;
  try {
    await run(program, CREATE[program](wish), {
      ...call,
      host: hostOf(wish),
      file: { name: BODY_FILE, text: wish.body },
    });
  } catch (error) {
    if (call.signal?.aborted) throw error;
    problem = error;
  }
  const made = await openOne(program, wish, call).catch((error: unknown) => {
    throw problem ?? error;
  });
  // gh adds these to a pull request that it has made before.
  const hasMore = program === 'gh' && wish.labels.length + wish.reviewers.length > 0;
  const said = problem instanceof Error && hasMore ? { problem: problem.message } : {};
  if (made) return { ...made, is_new: true, ...said };
  throw problem ?? new BatonError('git_failed', `${program} made no ${WORDS[program]}.`);
}

const WORDS = { gh: 'pull request', glab: 'merge request' } as const;
const BODY_FILE = 'body.md';

const each = (flag: string, values: readonly string[]) => values.map((value) => `${flag}=${value}`);

const CREATE = {
  gh: ({ to, from, branch, base, title, draft, labels, reviewers }: PullRequestWish) => [
    ...['pr', 'create', `--repo=${to.host}/${to.path}`],
    `--head=${to.path === from.path ? '' : `${ownerOf(from)}:`}${branch}`,
    ...[`--base=${base}`, `--title=${title}`, `--body-file=${BODY_FILE}`],
    ...(draft ? ['--draft'] : []),
    ...each('--label', labels),
    ...each('--reviewer', reviewers),
  ],
  glab: ({ to, from, branch, base, title, body, draft, labels, reviewers }: PullRequestWish) => [
    ...['mr', 'create', `--repo=${to.web}`, '--yes'],
    ...(to.path === from.path ? [] : [`--head=${from.path}`]),
    ...[`--source-branch=${branch}`, `--target-branch=${base}`],
    ...[`--title=${title}`, `--description=${body}`],
    ...(draft ? ['--draft'] : []),
    ...each('--label', labels),
    ...each('--reviewer', reviewers),
  ],
} as const;

/** The open pull request of a branch, that against the wished base if there are several. */
async function openOne(
  program: ForgeProgram,
  wish: PullRequestWish,
  call: Call,
): Promise<Omit<Open, 'base'> | undefined> {
  const found = await OPEN[program](wish, { ...call, host: hostOf(wish) });
  const best = found.find(({ base }) => base === wish.base) ?? found[0];
  return best && { url: best.url, number: best.number };
}

function hostOf({ to }: PullRequestWish): string {
  return to.host ?? '';
}

const OPEN = {
  async gh({ to, from, branch }: PullRequestWish, call: Command): Promise<Open[]> {
    const args = ['pr', 'list', `--repo=${to.host}/${to.path}`, `--head=${branch}`];
    const fields = '--json=number,url,baseRefName,headRepositoryOwner';
    const all = await list('gh', [...args, '--state=open', fields], call);
    // The program compares the name of the branch alone, also that of somebody else's fork.
    const owner = ownerOf(from).toLowerCase();
    return all.flatMap(({ number, url, baseRefName, headRepositoryOwner: head }) => {
      const login = isObject(head) ? String(head.login).toLowerCase() : owner;
      return login === owner ? opened(number, url, baseRefName) : [];
    });
  },
  async glab({ to, from, branch }: PullRequestWish, call: Command): Promise<Open[]> {
    const args = ['mr', 'list', `--repo=${to.web}`, `--source-branch=${branch}`, '--output=json'];
    const all = await list('glab', args, call);
    const isSame = to.path === from.path;
    return all.flatMap(({ iid, web_url, target_branch, source_project_id, target_project_id }) =>
      (source_project_id === target_project_id) === isSame
        ? opened(iid, web_url, target_branch)
        : [],
    );
  },
} as const;

function opened(number: unknown, url: unknown, base: unknown): Open[] {
  if (typeof number !== 'number' || typeof url !== 'string') return [];
  return [{ number, url, base: String(base) }];
}

async function list(
  program: ForgeProgram,
  args: readonly string[],
  call: Command,
): Promise<Record<string, unknown>[]> {
  const text = await run(program, args, call);
  try {
    const found: unknown = JSON.parse(text);
    if (Array.isArray(found)) return found.filter(isObject);
  } catch {
    // The error below has what it said.
  }
  throw new BatonError(
    'git_failed',
    `${program} answered with something else: ${text.slice(0, 200)}`,
  );
}

/** Runs a command of a forge; rejects with an error that says what to do. */
async function run(program: ForgeProgram, args: readonly string[], call: Command): Promise<string> {
  const answer = await runForgeProgram(program, args, call);
  if (answer?.code === 0) return answer.stdout;
  if (!answer) throw new BatonError('git_failed', `${program} is no longer installed.`);
  const words = `${answer.stderr}\n${answer.stdout}`.trim() || `exit code ${answer.code}`;
  throw failure(program, words);
}

const MAX_WORDS = 1000;

function failure(program: ForgeProgram, words: string): BatonError {
  const said = `${program} failed: ${words.slice(0, MAX_WORDS)}`;
  if (/rate limit|HTTP 429|429 Too Many/i.test(words)) {
    return new BatonError('rate_limited', said, { hint: 'Wait and run the same command again.' });
  }
  if (/auth login|HTTP 401|401 Unauthorized|bad credentials|not logged in/i.test(words)) {
    return new BatonError('auth_missing', said, {
      hint: `Sign in with "${program} auth login", and run the same command again.`,
    });
  }
  if (/error connecting|dial tcp|no such host|no answer after|\bEOF\b|connection re/i.test(words)) {
    return new BatonError('network_unreachable', said, {
      hint: 'Check the network connection, and run the same command again.',
    });
  }
  return new BatonError('git_failed', said, {
    hint: 'Its output says why. Fix that, and run the same command again.',
  });
}
