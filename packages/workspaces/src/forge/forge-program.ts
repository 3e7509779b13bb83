import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary, pathOutside } from '@baton/process';
import { BatonError } from '@baton/protocol/values';
import { runScript } from '../scripts/run-script.ts';
import { scriptEnvironment } from '../scripts/script-environment.ts';

/** Programs of forges, which have the credentials of the person. */
export type ForgeProgram = 'gh' | 'glab';

export type ForgeCall = {
  /** The folder of the work, whose own programs are not used. */
  folder: string;
  /** Further folders that agents may have written to. */
  workspaces?: readonly string[] | undefined;
  /** A file for the program, by its name. */
  file?: { name: string; text: string } | undefined;
  signal?: AbortSignal | undefined;
};

/** A call to a server, which gets only credentials that are meant for it. */
type HostCall = ForgeCall & { host: string };

type ForgeAnswer = { code: number | null; stdout: string; stderr: string };

const TIMEOUT_MS = 60_000;

/** Credentials that these programs read, and nothing else that Baton starts gets. */
const OF_GITHUB = ['GH_TOKEN', 'GITHUB_TOKEN'];
const OF_ENTERPRISE = ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'];
const OF_GITLAB = ['GITLAB_TOKEN', 'GITLAB_ACCESS_TOKEN', 'OAUTH_TOKEN'];

/** Names of the credentials for a server: an agent may have made another one the remote, which must get none of them. */
function credentialsFor(host: string): readonly string[] {
  const { GH_HOST, GITLAB_HOST = 'gitlab.com' } = process.env;
  return [
    // The program itself sends these to GitHub alone.
    ...OF_GITHUB,
    ...(host === GH_HOST ? OF_ENTERPRISE : []),
    ...(host === GITLAB_HOST.replace(/^https?:\/\//, '') ? OF_GITLAB : []),
  ];
}

/** Nobody can answer a question, and the output is read by a program. */
const UNATTENDED = {
  ...{ GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', GH_SPINNER_DISABLED: '1' },
  ...{ GH_PAGER: 'cat', GLAB_PAGER: 'cat', PAGER: 'cat', NO_PROMPT: '1', GLAB_NO_PROMPT: '1' },
  ...{ GLAB_CHECK_UPDATE: 'false', NO_COLOR: '1', GIT_TERMINAL_PROMPT: '0' },
};
/** Variables that name another repository, or change the output. */
const MISLEADING = ['GH_REPO', 'GH_DEBUG', 'GH_FORCE_TTY', 'DEBUG', 'GITLAB_REPO'];

/** Runs the program of a forge outside of any repository; returns undefined if it is not installed. */
export async function runForgeProgram(
  name: ForgeProgram,
  args: readonly string[],
  { host, folder, workspaces, file, signal }: HostCall,
): Promise<ForgeAnswer | undefined> {
  const search = { cwd: folder, workspaces, env: process.env };
  const path = pathOf(name, search);
  if (path === undefined) return undefined;
  const credentials = credentialsFor(host).map((each) => [each, process.env[each]]);
  const inherited = { ...(await scriptEnvironment()), ...Object.fromEntries(credentials) };
  for (const each of MISLEADING) delete inherited[each];
  // In a repository they would read its configuration, and run git there.
  const cwd = mkdtempSync(join(tmpdir(), 'baton-forge-'));
  const lines = { stdout: [] as string[], stderr: [] as string[] };
  try {
    if (file) writeFileSync(join(cwd, file.name), file.text, { mode: 0o600 });
    const { exitCode, stopped } = await runScript({
      script: [path, ...args],
      workspace: { path: cwd, cwd, branch: null, base_commit: null, repository: null, ports: {} },
      env: { ...inherited, ...UNATTENDED, PATH: pathOutside(search) },
      timeoutMs: TIMEOUT_MS,
      signal,
      onLine: (line, stream) => lines[stream].push(line),
    });
    if (stopped === 'aborted') throw new BatonError('interrupted', `${name} was stopped.`);
    if (stopped === 'timeout') lines.stderr.push(`no answer after ${TIMEOUT_MS / 1000} s`);
    return { code: exitCode, stdout: lines.stdout.join('\n'), stderr: lines.stderr.join('\n') };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function pathOf(name: string, search: Parameters<typeof findBinary>[1]): string | undefined {
  try {
    return findBinary({ name }, search).path;
  } catch (error) {
    if (BatonError.is(error)) return undefined;
    throw error;
  }
}
