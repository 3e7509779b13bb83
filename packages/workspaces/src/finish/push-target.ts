import { BatonError } from '@baton/protocol/values';
import { parseRemoteUrl, type RemoteUrl } from '../forge/remote-url.ts';
import { HEADS } from '../worktree/user-repository.ts';
import type { FinishPlace } from './finish-place.ts';
import { personGit } from './person-git.ts';

/** The remote that a branch is pushed to. */
export type PushTarget = {
  remote: string;
  url: RemoteUrl;
  branch: string;
  /** Names of all remotes. */
  remotes: readonly string[];
};

/** The branch of a remote that gets the work of a pull request. */
export type PushBase = {
  remote: string;
  url: RemoteUrl;
  branch: string;
  /** The commit that it was at when this machine last saw it. */
  commit: string | undefined;
};

/** Finds the remote of a branch: the chosen or configured one, else `origin` or the only one. Needs no network. */
export async function pushTarget(
  { path, branch = '' }: Pick<FinishPlace, 'path' | 'branch'>,
  chosen: string | undefined,
): Promise<PushTarget> {
  const { lines: remotes } = await personGit(['remote'], { cwd: path });
  if (remotes.length === 0) {
    throw new BatonError('conflict', `${path} has no remote to push to.`, {
      hint: 'Add one with "git remote add origin URL".',
    });
  }
  if (chosen !== undefined && !remotes.includes(chosen)) {
    throw new BatonError('usage', `There is no remote "${chosen}" in ${path}.`, {
      hint: `It has ${remotes.join(', ')}.`,
    });
  }
  const configured = async () => {
    for (const key of [`branch.${branch}.pushRemote`, 'remote.pushDefault', remoteKey(branch)]) {
      const name = await setting(path, key);
      if (name !== undefined && remotes.includes(name)) return name;
    }
    return undefined;
  };
  const only = remotes.length === 1 ? remotes[0] : undefined;
  const usual = remotes.includes('origin') ? 'origin' : only;
  const remote = chosen ?? (await configured()) ?? usual;
  if (remote === undefined) {
    throw new BatonError('usage', `${path} has several remotes: ${remotes.join(', ')}.`, {
      hint: 'Choose one: --remote on the command line.',
    });
  }
  return { remote, url: await urlOf(path, remote), branch, remotes };
}

/**
 * Finds the branch that a pull request is for: the chosen one, the one that the work started from, else the default of
 * the remote. Needs no network, so that the remote may not have it.
 */
export async function pushBase(
  place: FinishPlace,
  target: PushTarget,
  into: string | undefined,
): Promise<PushBase> {
  const { path, record, repository } = place;
  const recorded = record?.base_ref ?? (await defaultBranch(path, target.remote));
  const named = (into ?? recorded)?.replace(/^refs\/(heads|remotes)\//, '');
  if (!named) throw unknownBase(`Baton does not know where ${path} started.`);
  const { remote, branch } = await placeOfBase(place, target, named);
  if (remote === target.remote && branch === target.branch) {
    throw new BatonError('usage', `${branch} cannot be merged into itself.`, {
      hint: 'Choose another branch with --into, or work on a branch of its own.',
    });
  }
  const seen = await repository.commitOf(`${REMOTES}${remote}/${branch}`);
  const own = seen ?? (await repository.commitOf(`${HEADS}${named}`));
  // Work can start from a tag or commit, which gets no pull request.
  if (into === undefined && own === undefined) throw unknownBase(`${named} is not a branch.`);
  const url = remote === target.remote ? target.url : await urlOf(path, remote);
  return { remote, url, branch, commit: own ?? record?.base_commit ?? undefined };
}

const REMOTES = 'refs/remotes/';

/** The remote and the name there of a branch as a person names it. */
async function placeOfBase(
  { path, repository }: FinishPlace,
  { remote, remotes }: PushTarget,
  named: string,
): Promise<{ remote: string; branch: string }> {
  if ((await repository.commitOf(`${HEADS}${named}`)) !== undefined) {
    const upstream = await setting(path, remoteKey(named));
    const name = await setting(path, `branch.${named}.merge`);
    const isSame = name === `${HEADS}${named}` && remotes.includes(upstream ?? '');
    return { remote: isSame && upstream ? upstream : remote, branch: named };
  }
  const [around] = remotes
    .filter((each) => named.startsWith(`${each}/`))
    .sort((a, b) => b.length - a.length);
  if (around === undefined) return { remote, branch: named };
  return { remote: around, branch: named.slice(around.length + 1) };
}

async function defaultBranch(path: string, remote: string): Promise<string | undefined> {
  const { lines } = await personGit(
    ['symbolic-ref', '--quiet', '--short', `${REMOTES}${remote}/HEAD`],
    { cwd: path, answers: [1, 128] },
  );
  return lines[0];
}

/** The address that Git pushes to. */
async function urlOf(path: string, remote: string): Promise<RemoteUrl> {
  const { lines } = await personGit(['remote', 'get-url', '--push', remote], { cwd: path });
  return parseRemoteUrl(lines[0] ?? '');
}

function remoteKey(branch: string): string {
  return `branch.${branch}.remote`;
}

async function setting(path: string, key: string): Promise<string | undefined> {
  const { lines } = await personGit(['config', '--get', key], { cwd: path, answers: [1] });
  return lines[0] || undefined;
}

function unknownBase(message: string): BatonError {
  return new BatonError('usage', message, {
    hint: 'Choose the branch that gets the work: --into on the command line.',
  });
}
