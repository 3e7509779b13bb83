import { dirname } from 'node:path';
import { object, parseJson, string } from '@baton/config/values/json';
import { findBinary } from '@baton/process';
import { BatonError, type ErrorCode } from '@baton/protocol/values';
import { type ProgramRequest, runProgram } from './run-program.ts';

/** A large agent over a slow line takes minutes. */
const NPM_MS = 30 * 60_000;

/**
 * Whatever the user's own configuration says: only this folder, with a lockfile, optional packages (agents keep their
 * binaries in them), and no script. The default pauses between retries would hide for over a minute that the machine is
 * offline.
 */
const ALWAYS = [
  '--json',
  '--loglevel=http',
  '--global=false',
  '--workspaces=false',
  '--dry-run=false',
  '--package-lock=true',
  '--package-lock-only=false',
  '--omit=dev',
  '--include=optional',
  '--include=prod',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  // A release of the last minutes is not in the cache yet.
  '--prefer-online',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=5000',
] as const;

type Npm = {
  cwd: string;
  env: ProgramRequest['env'];
  signal: AbortSignal;
  /** Called for each file that npm has got, from the registry or its cache. */
  onFetch?: (() => void) | undefined;
  /** Called for each line that is not npm's own, at the latest when npm has ended: scripts print it. */
  onOutput?: ((line: string) => void) | undefined;
};

/** Runs npm in a folder; returns its output, and throws if it fails. */
export async function runNpm(args: readonly string[], npm: Npm): Promise<unknown> {
  const { cwd, env, signal, onFetch, onOutput } = npm;
  const { code, stdout, stderr } = await runProgram({
    file: findNpm(env),
    args: [...args, ...ALWAYS, `--prefix=${cwd}`],
    cwd,
    env,
    signal,
    timeoutMs: NPM_MS,
    onStderrLine: (line) => {
      if (line.startsWith('npm http fetch GET 200')) onFetch?.();
      else if (!line.startsWith('npm ')) onOutput?.(line);
    },
  });
  for (const line of stdout.split(/^(?:\{|rebuilt dependencies)/m)[0]?.split('\n') ?? []) {
    onOutput?.(line);
  }
  const printed = parseJson(stdout);
  if (code === 0) return printed;
  throw npmError(object(object(printed).error), stderr);
}

/** The folder is where the user stands: a workspace does not bring the npm that installs agents. */
function findNpm(env: Npm['env']): string {
  const PATH = [env.PATH, dirname(process.execPath)].filter(Boolean).join(':');
  try {
    return findBinary({ name: 'npm' }, { cwd: process.cwd(), env: { ...env, PATH }, probing: true })
      .path;
  } catch (cause) {
    throw new BatonError('install_failed', 'npm was not found on PATH.', {
      hint: 'Install Node.js with npm, then run the command again.',
      cause,
    });
  }
}

type Explanation = { code?: ErrorCode; message: string; hint: string };

const EXPLANATIONS: readonly [RegExp, Explanation][] = [
  [
    /^EINTEGRITY$/,
    {
      message: 'The downloaded package does not have the checksum that the registry names.',
      hint: 'Nothing was installed. Try again; if it persists, do not use this registry or mirror ("npm config get registry").',
    },
  ],
  [
    /^(?:E404|ETARGET|ENOVERSIONS)$/,
    {
      message: 'The registry has no such release.',
      hint: 'Check the version, and the registry that npm uses ("npm config get registry").',
    },
  ],
  [
    /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|FETCH_ERROR|ENOTCACHED)$/,
    {
      code: 'network_unreachable',
      message: 'npm could not reach its registry.',
      hint: 'Check the network connection, the proxy and the registry of npm ("npm config get registry").',
    },
  ],
  [
    /^(?:E401|E403|ENEEDAUTH)$/,
    {
      message: 'The registry denied access.',
      hint: 'Log in with "npm login", or check the registry of npm ("npm config get registry").',
    },
  ],
  [
    /^(?:ENOSPC|EDQUOT)$/,
    { message: 'The disk is full.', hint: 'Free some space and run the command again.' },
  ],
  [
    /^(?:EACCES|EPERM|EROFS)$/,
    {
      message: 'npm may not write its files.',
      hint: 'Check the owner of ~/.baton/agents and of the cache of npm ("npm config get cache").',
    },
  ],
];

/** Says why npm failed: by its error code, with its own words after ours. */
function npmError(error: Record<string, unknown>, stderr: string): BatonError {
  const code = string(error.code) ?? /^npm error code (\w+)/m.exec(stderr)?.[1] ?? '';
  const told = (string(error.summary) ?? stderr).trim().split('\n')[0] ?? '';
  const known = EXPLANATIONS.find(([fits]) => fits.test(code))?.[1];
  const message = `${known?.message ?? 'npm failed.'} npm says: ${[code, told].filter(Boolean).join(': ')}`;
  return new BatonError(known?.code ?? 'install_failed', message, {
    hint: known?.hint ?? 'Nothing was installed. See the log that npm wrote in its cache.',
  });
}
