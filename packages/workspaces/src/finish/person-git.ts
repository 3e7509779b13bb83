import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from '@baton/process';
import { BatonError } from '@baton/protocol/values';
import { runScript } from '../scripts/run-script.ts';
import { scriptEnvironment } from '../scripts/script-environment.ts';

export type PersonCall = {
  cwd: string;
  /** Variables such as the author of a commit. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Exit codes that are answers and not failures; 0 always is. */
  answers?: readonly number[] | undefined;
  timeoutMs?: number | undefined;
  /** Called with each line that the command and its hooks print. */
  onLine?: ((line: string, stream: 'stdout' | 'stderr') => void) | undefined;
  signal?: AbortSignal | undefined;
};

type PersonAnswer = { code: number; lines: readonly string[] };

/** Hooks may run a whole test suite. */
const TIMEOUT_MS = 1_800_000;
const MAX_LINES = 10_000;
/** Lines of output in an error. */
const ERROR_LINES = 20;

/** Nobody can answer a question of Git or of a program that it starts. */
const UNATTENDED = { GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: ':', GIT_SEQUENCE_EDITOR: ':' };

/**
 * Runs git as the person would in a terminal: with their configuration, identity, credentials and hooks. Only for what the
 * person has ordered, such as a commit; everything that only looks goes through `Git`, which executes nothing.
 */
export async function personGit(args: readonly string[], call: PersonCall): Promise<PersonAnswer> {
  const { cwd, env = {}, answers = [], timeoutMs = TIMEOUT_MS, onLine, signal } = call;
  const { path } = findBinary({ name: 'git' }, { cwd, env: process.env });
  const inherited = Object.entries(await scriptEnvironment()).filter(
    ([name]) => !OTHER_REPOSITORY.has(name),
  );
  const stdout: string[] = [];
  const all: string[] = [];
  const { exitCode, stopped } = await runScript({
    script: [path, ...args],
    workspace: { path: cwd, cwd, branch: null, base_commit: null, repository: null, ports: {} },
    env: { ...Object.fromEntries(inherited), ...UNATTENDED, ...env },
    timeoutMs,
    signal,
    onLine(line, stream) {
      if (stream === 'stdout' && stdout.length < MAX_LINES) stdout.push(line);
      all.push(line);
      if (all.length > ERROR_LINES) all.shift();
      onLine?.(line, stream);
    },
  });
  const name = `git ${args.find((arg) => !arg.startsWith('-')) ?? ''}`;
  if (stopped === 'aborted') throw new BatonError('interrupted', `${name} was stopped.`);
  if (stopped === 'timeout') {
    throw new BatonError('git_failed', `${name} was stopped after ${timeoutMs / 1000} s.`);
  }
  if (exitCode === 0 || (exitCode !== null && answers.includes(exitCode))) {
    return { code: exitCode, lines: stdout };
  }
  // Somebody who has followed the output needs no second copy.
  const words = (onLine ? '' : all.join('\n').trim()) || `exit code ${exitCode}`;
  throw new BatonError('git_failed', `${name} failed: ${words}`, {
    hint: 'Its output says why. A hook of the repository may have stopped it.',
  });
}

/** Variables with which a calling Git or hook names another repository or index than the one of the folder. */
const OTHER_REPOSITORY = new Set(
  [
    ...['DIR', 'WORK_TREE', 'INDEX_FILE', 'OBJECT_DIRECTORY', 'ALTERNATE_OBJECT_DIRECTORIES'],
    ...['COMMON_DIR', 'NAMESPACE', 'PREFIX', 'CONFIG', 'CONFIG_PARAMETERS', 'GRAFT_FILE'],
    ...['SHALLOW_FILE', 'IMPLICIT_WORK_TREE'],
  ].map((name) => `GIT_${name}`),
);

/** Calls a function with the path of a private file that has a text, such as the message of a commit. */
export async function withTextFile<Result>(
  text: string,
  act: (path: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-text-'));
  try {
    const path = join(folder, 'text');
    writeFileSync(path, text, { mode: 0o600 });
    return await act(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The person as Git knows them: name and address for commits. */
export type Person = { name: string; email: string };

/** The author of commits in a folder; throws an error that says what to do if Git does not know them. */
export async function personIn(cwd: string): Promise<Person> {
  const { code, lines } = await personGit(['var', 'GIT_AUTHOR_IDENT'], { cwd, answers: [128] });
  const [, name, email] = /^(.*) <(.*)> \d+ [+-]\d+$/.exec(lines[0] ?? '') ?? [];
  if (code === 0 && name && email) return { name, email };
  throw new BatonError('git_failed', 'Git does not know your name and address for commits.', {
    hint: 'Set them: git config --global user.name "…" and git config --global user.email "…".',
  });
}
