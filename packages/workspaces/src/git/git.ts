import { type ChildProcess, spawn } from 'node:child_process';
import { findBinary, pathOutside } from '@baton/process';
import { BatonError } from '@baton/protocol/values';
import { diskFull } from './disk-errors.ts';
import type { MachineSlots } from './machine-slots.ts';

export type GitCall = {
  cwd: string;
  /** The repository to use instead of the one that `cwd` is in. */
  gitDir?: string | undefined;
  workTree?: string | undefined;
  /** The index to use instead of the one of the repository. */
  indexFile?: string | undefined;
  input?: string | Uint8Array | undefined;
  /** Exit codes that are answers and not failures; 0 always is. */
  answers?: readonly number[] | undefined;
  timeoutMs?: number | undefined;
  /** True for a call that takes milliseconds in any repository: it does not wait for a slot. */
  isLight?: boolean | undefined;
  maxBytes?: number | undefined;
  /** Called with the output as it arrives, which then has no limit and is not returned. */
  onOutput?: ((chunk: Buffer) => void) | undefined;
  signal?: AbortSignal | undefined;
};

export type GitAnswer = { code: number; output: Buffer; text: string };

export type GitOptions = {
  /** Limits the calls of all programs on this machine. */
  slots: MachineSlots;
  /** Aborting it ends every call. */
  signal?: AbortSignal | undefined;
};

const MB = 1024 * 1024;
const TIMEOUT_MS = 120_000;
const MAX_BYTES = 64 * MB;
const MAX_STDERR = MB / 4;

/**
 * Settings that stop a repository from naming programs that git would execute: hooks, monitors, filters, transports, and
 * those of submodules. Values on the command line win over every file.
 */
const HARMLESS = [
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.alternateRefsCommand='],
  ...['core.sshCommand=false', 'core.askPass=false', 'core.pager=cat', 'core.editor=false'],
  ...['credential.helper=', 'protocol.allow=never', 'gc.auto=0', 'maintenance.auto=false'],
  ...['submodule.recurse=false', 'diff.ignoreSubmodules=all', 'commit.gpgSign=false'],
  ...['core.untrackedCache=keep', 'advice.addEmbeddedRepo=false', 'safe.directory=*'],
].flatMap((setting) => ['-c', setting]);

/** Environment without the settings of any user, so that a call means the same everywhere. */
const SETTINGS = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  // No transport at all, whatever the repository says.
  GIT_ALLOW_PROTOCOL: '',
  GIT_LITERAL_PATHSPECS: '1',
  // Git would return memory to the system after each object that it compresses, which takes most of its time.
  MALLOC_TRIM_THRESHOLD_: '268435456',
  MALLOC_TOP_PAD_: '4194304',
  GIT_AUTHOR_NAME: 'Baton',
  GIT_AUTHOR_EMAIL: 'baton@localhost',
  GIT_COMMITTER_NAME: 'Baton',
  GIT_COMMITTER_EMAIL: 'baton@localhost',
  LC_ALL: 'C',
} as const;

/** Runs the git program: no shell, no program that a repository names, bounded in time, output and number. */
export class Git {
  #options: GitOptions;
  /** The program for each folder, and the PATH for it; looking for them costs more than many calls. */
  #programs = new Map<string, Program>();

  constructor(options: GitOptions) {
    this.#options = options;
  }

  /** Runs a command; rejects with a `BatonError` unless it exits with 0 or one of `answers`. */
  async run(args: readonly string[], call: GitCall): Promise<GitAnswer> {
    const { slots, signal } = this.#options;
    const signals = [signal, call.signal].flatMap((each) => each ?? []);
    const ending = AbortSignal.any([...signals, AbortSignal.timeout(call.timeoutMs ?? TIMEOUT_MS)]);
    if (call.isLight) return this.#execute(args, call, ending);
    const release = await slots.take(ending).catch((cause) => {
      throw stopped(args, ending, cause);
    });
    try {
      return await this.#execute(args, call, ending);
    } finally {
      release();
    }
  }

  /** The output of a command as text, without the line break at its end. */
  async text(args: readonly string[], call: GitCall): Promise<string> {
    return (await this.run(args, call)).text.trimEnd();
  }

  /** The NUL-separated records that a command prints. */
  async records(args: readonly string[], call: GitCall): Promise<string[]> {
    const { text } = await this.run(args, call);
    return text.split('\0').filter((record) => record !== '');
  }

  async #execute(args: readonly string[], call: GitCall, ending: AbortSignal): Promise<GitAnswer> {
    const { maxBytes = MAX_BYTES, onOutput, answers = [] } = call;
    const child = this.#start([...HARMLESS, ...args], call);
    const chunks: Buffer[] = [];
    let problem: BatonError | undefined;
    let bytes = 0;
    let stderr = '';
    const kill = (why: BatonError) => {
      problem ??= why;
      killGroup(child);
    };
    const onEnding = () => kill(stopped(args, ending));
    if (ending.aborted) onEnding();
    ending.addEventListener('abort', onEnding, { once: true });
    child.stdout?.on('data', (chunk: Buffer) => {
      if (onOutput) return onOutput(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) return kill(tooMuch(args, maxBytes));
      chunks.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_STDERR) stderr += chunk;
    });
    // Git may end before it has read everything; its exit says more than that.
    child.stdin?.on('error', () => {});
    child.stdin?.end(call.input ?? '');
    const ended = Promise.withResolvers<number | null>();
    child.once('error', (cause) => ended.reject(notStarted(cause, call.cwd)));
    child.once('close', (code) => ended.resolve(code));
    const code = await ended.promise.finally(() => ending.removeEventListener('abort', onEnding));
    if (problem) throw problem;
    if (code !== 0 && !answers.includes(code ?? -1)) throw failed(args, code, stderr);
    const output = Buffer.concat(chunks);
    return {
      code: code ?? -1,
      output,
      // Decoded when asked for: most large outputs are read as bytes.
      get text() {
        return output.toString('utf8');
      },
    };
  }

  #start(args: readonly string[], { cwd, gitDir, workTree, indexFile }: GitCall): ChildProcess {
    const { file, path } = this.#programs.get(cwd) ?? gitProgram(cwd);
    this.#programs.set(cwd, { file, path });
    const env = {
      ...SETTINGS,
      PATH: path,
      // Git asks for it to expand paths, and would complain.
      HOME: '/nonexistent',
      ...(process.env.TMPDIR && { TMPDIR: process.env.TMPDIR }),
      ...(gitDir && { GIT_DIR: gitDir }),
      ...(workTree && { GIT_WORK_TREE: workTree }),
      ...(indexFile && { GIT_INDEX_FILE: indexFile }),
    };
    return spawn(file, args, { cwd, env, stdio: 'pipe', detached: true });
  }
}

type Program = { file: string; path: string | undefined };

/** Finds git, but never one inside of the folder that it is for. */
function gitProgram(cwd: string): Program {
  const context = { cwd, env: process.env };
  try {
    return { file: findBinary({ name: 'git' }, context).path, path: pathOutside(context) };
  } catch (cause) {
    throw new BatonError('git_failed', 'Git is not installed.', {
      hint: 'Install git, or run the agent in place without a worktree.',
      cause,
    });
  }
}

/** Git starts programs of its own, which must not outlive it. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function nameOf(args: readonly string[]): string {
  return `git ${args.find((arg) => !arg.startsWith('-')) ?? ''}`.trimEnd();
}

function stopped(args: readonly string[], ending: AbortSignal, cause?: unknown): BatonError {
  const { reason } = ending as { reason?: { name?: string } };
  if (reason?.name !== 'TimeoutError') {
    return new BatonError('interrupted', `${nameOf(args)} was stopped.`, { cause });
  }
  return new BatonError('git_failed', `${nameOf(args)} took too long and was stopped.`, {
    hint: 'The repository may be very large, or its disk slow: try again, or work in place.',
    cause,
  });
}

function tooMuch(args: readonly string[], maxBytes: number): BatonError {
  const limit = `${Math.round(maxBytes / MB)} MB`;
  return new BatonError('too_large', `${nameOf(args)} printed more than ${limit}.`, {
    hint: 'There are more files or changes than Baton reads at once.',
  });
}

function notStarted(cause: Error, cwd: string): BatonError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'EAGAIN' || code === 'ENOMEM' || code === 'EMFILE') {
    return new BatonError('no_resources', `Git could not be started: ${cause.message}`, { cause });
  }
  return new BatonError('cwd_missing', `Git could not be started in ${cwd}.`, { cause });
}

/** Git does not always say why it cannot write an index. */
const DISK_FULL = /No space left on device|Disk quota exceeded|unable to write new index file/i;

function failed(args: readonly string[], code: number | null, stderr: string): BatonError {
  const words = stderr.trim().replace(/^(fatal|error): /gm, '') || `exit code ${code}`;
  const message = `${nameOf(args)} failed: ${words}`;
  if (DISK_FULL.test(stderr)) return diskFull(new Error(message));
  return new BatonError('git_failed', message);
}
