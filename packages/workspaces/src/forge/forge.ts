import { type ForgeCall, type ForgeProgram, runForgeProgram } from './forge-program.ts';
import { ownerOf, type RemoteUrl } from './remote-url.ts';

/** A kind of server that has pull requests. */
type ForgeKind = 'github' | 'gitlab' | 'bitbucket' | 'gitea';

export type Forge = {
  /** Undefined if it is not known. */
  kind: ForgeKind | undefined;
  /** The program that is signed in there. */
  program: ForgeProgram | undefined;
};

/** Names of servers that say what they are. */
const NAMES: readonly (readonly [RegExp, ForgeKind])[] = [
  [/(^|[.-])github([.-]|$)/, 'github'],
  [/(^|[.-])gitlab([.-]|$)/, 'gitlab'],
  [/(^|[.-])bitbucket([.-]|$)/, 'bitbucket'],
  [/(^|[.-])(gitea|forgejo|codeberg)([.-]|$)/, 'gitea'],
];
const PROGRAMS: Readonly<Partial<Record<ForgeKind, ForgeProgram>>> = {
  github: 'gh',
  gitlab: 'glab',
};
const KINDS: Readonly<Record<ForgeProgram, ForgeKind>> = { gh: 'github', glab: 'gitlab' };

/** Finds the forge of a remote: by the name of its server, else by who is signed in there. Needs no network. */
export async function findForge({ host, path }: RemoteUrl, call: ForgeCall): Promise<Forge> {
  // A name without a dot is one that only this machine knows, such as an alias of SSH.
  if (!host?.includes('.') || !path) return { kind: undefined, program: undefined };
  const kind = NAMES.find(([pattern]) => pattern.test(host))?.[1];
  const own = kind && PROGRAMS[kind];
  const candidates: readonly ForgeProgram[] = kind ? (own ? [own] : []) : ['gh', 'glab'];
  for (const program of candidates) {
    if (await isSignedIn(program, host, call)) return { kind: kind ?? KINDS[program], program };
  }
  return { kind, program: undefined };
}

async function isSignedIn(program: ForgeProgram, host: string, call: ForgeCall): Promise<boolean> {
  const args = {
    gh: ['auth', 'token', '--hostname', host],
    glab: ['config', 'get', 'token', '--host', host],
  }[program];
  const answer = await runForgeProgram(program, args, { ...call, host });
  return answer?.code === 0 && answer.stdout.trim() !== '';
}

type Comparison = {
  /** Repository and branch that get the work. */
  to: RemoteUrl;
  base: string;
  /** Repository and branch of the work. */
  from: RemoteUrl;
  branch: string;
};

/** The page of a forge on which a person makes a pull request. */
export function newPullRequestUrl(
  kind: ForgeKind | undefined,
  { to, base, from, branch }: Comparison,
): string | undefined {
  if (!kind || !to.web || !from.web) return undefined;
  const [target, source] = [inPath(base), inPath(branch)];
  const head = to.path === from.path ? source : `${ownerOf(from)}:${source}`;
  const query = (names: Readonly<Record<string, string>>) => new URLSearchParams(names).toString();
  return {
    github: `${to.web}/compare/${target}...${head}?expand=1`,
    gitlab: `${from.web}/-/merge_requests/new?${query({
      'merge_request[source_branch]': branch,
      'merge_request[target_branch]': base,
    })}`,
    bitbucket: `${from.web}/pull-requests/new?${query({ source: branch, dest: base })}`,
    gitea: `${to.web}/compare/${target}...${head}`,
  }[kind];
}

function inPath(branch: string): string {
  return branch.split('/').map(encodeURIComponent).join('/');
}
