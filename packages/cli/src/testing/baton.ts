import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type AgentEvent, eventSchema } from '@baton/protocol';
import { expect, inject, vi } from 'vitest';

const MAIN = inject('baton');
const MARK = 'BATON_TEST_MARK';
const WORLDS: CliWorld[] = [];
/** A process that sleeps in this many consecutive samples is idle. */
const CALM_LOOKS = 15;

/** Kills whatever is left in the worlds of a file of tests, and removes their folders. */
export function endWorlds(): void {
  for (const world of WORLDS.splice(0)) world.end();
}

export type Finished = { code: number | null; stdout: string; stderr: string };
export type CallOptions = {
  args: readonly string[];
  /** Standard input; empty by default. */
  input?: string;
  env?: Readonly<Record<string, string>> | undefined;
};

/** A separate home, project and environment for one test. */
export class CliWorld {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly #mark: string;

  constructor() {
    this.home = realpathSync(mkdtempSync(join(tmpdir(), 'cli-world-')));
    this.cwd = join(this.home, 'project');
    mkdirSync(join(this.cwd, '.git'), { recursive: true });
    mkdirSync(join(this.home, '.baton'), { mode: 0o700 });
    this.#mark = basename(this.home);
    this.env = {
      HOME: this.home,
      PATH: '/usr/bin:/bin',
      TERM: 'xterm-256color',
      TMPDIR: this.home,
      BATON_BACKEND: 'demo',
      BATON_DEMO_PACE: '0',
      [MARK]: this.#mark,
    };
    WORLDS.push(this);
  }

  /** Kills whatever is left, and removes the folders. */
  end(): void {
    for (const { pid } of this.#left()) kill(pid);
    // A process that was killed may be in the middle of writing a file.
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10 });
  }

  /** Starts the real command. */
  start({ args, env }: Omit<CallOptions, 'input'>): ChildProcessWithoutNullStreams {
    return this.spawn(process.execPath, [MAIN, ...args], env);
  }

  /** Runs the real command to its end, and checks that it leaves no process behind. */
  async call({ input, ...call }: CallOptions): Promise<Finished> {
    const child = this.start(call);
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    return this.finish(child);
  }

  /** Waits for the end of a command, and checks that it leaves no process behind. */
  async finish(child: ChildProcessWithoutNullStreams): Promise<Finished> {
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
    const [code] = await once(child, 'close');
    this.expectNothingLeft();
    return { code, stdout: stdout(), stderr: stderr() };
  }

  /** Runs the real command and parses its standard output as events, one per line. */
  async events(call: CallOptions): Promise<Finished & { events: AgentEvent[] }> {
    const finished = await this.call({ ...call, args: [...call.args, '--json'] });
    const lines = finished.stdout.split('\n');
    expect(lines.pop()).toBe('');
    return { ...finished, events: lines.map((line) => eventSchema.parse(JSON.parse(line))) };
  }

  /** Runs a shell script in which `baton` is the real command. */
  shell(script: string): ChildProcessWithoutNullStreams {
    const baton = `baton() { '${process.execPath}' '${MAIN}' "$@"; }`;
    return this.spawn('/bin/bash', ['-c', `${baton}\n${script}`]);
  }

  /** Starts the real command in a terminal. */
  terminal({ args, env }: Omit<CallOptions, 'input'>, size = 'stty cols 100 rows 30'): Terminal {
    const command = [process.execPath, MAIN, ...args].map(quoted).join(' ');
    const child = this.spawn('script', ['-qec', `${size}; exec ${command}`, '/dev/null'], env);
    return new Terminal(this, child);
  }

  /**
   * Waits until everything in this world is idle: every thread of every process sleeps, and stays asleep.
   */
  async untilIdle(): Promise<void> {
    let calm = 0;
    let before = '';
    await vi.waitFor(
      () => {
        const threads = this.#left().flatMap(({ pid }) => threadsOf(pid));
        const now = JSON.stringify(threads.map(({ worked }) => worked));
        const sleeps = threads.length > 0 && threads.every(({ state }) => state === 'S');
        calm = sleeps && now === before ? calm + 1 : 0;
        before = now;
        if (calm < CALM_LOOKS) throw new Error(`Still at work: ${JSON.stringify(threads)}`);
      },
      { timeout: 60_000, interval: 20 },
    );
  }

  /** The command lines of all processes of this world. */
  running(): string[] {
    return this.#left().map(({ command }) => command);
  }

  /** Number of bytes that the command at the terminal has read, from there and from elsewhere. */
  bytesReadAtTerminal(): number {
    const [command] = this.#left().filter(({ pid }) => hasTerminal(pid));
    return Number(/rchar: (\d+)/.exec(read(`/proc/${command?.pid}/io`))?.[1]);
  }

  /** Resident memory of a process, in MB. */
  memory(pid: number | undefined): number {
    return Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1]) / 1024;
  }

  expectNothingLeft(): void {
    expect(this.#left()).toEqual([]);
  }

  /** Starts any program in this world. */
  spawn(file: string, args: readonly string[], env?: CallOptions['env']) {
    return spawn(file, args, { cwd: this.cwd, env: { ...this.env, ...env } });
  }

  /** The processes of this world, found by a variable that they all inherit. */
  #left(): { pid: number; command: string }[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && isRunning(name))
      .filter((name) => read(`/proc/${name}/environ`).includes(`${MARK}=${this.#mark}\0`))
      .map((name) => ({
        pid: Number(name),
        command: read(`/proc/${name}/cmdline`).replaceAll('\0', ' '),
      }));
  }
}

/** A command in a terminal, with simulated typing. */
export class Terminal {
  readonly #world: CliWorld;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #output: () => string;
  readonly #closed: Promise<unknown[]>;
  #seen = 0;

  constructor(world: CliWorld, child: ChildProcessWithoutNullStreams) {
    this.#world = world;
    this.#child = child;
    this.#output = collect(child.stdout);
    this.#closed = once(child, 'close');
    child.stdin.on('error', () => {});
  }

  /** Waits for a text after the one that was waited for last. */
  async until(words: string): Promise<void> {
    await vi.waitFor(
      () => {
        const at = this.#output().indexOf(words, this.#seen);
        if (at === -1) throw new Error(`No "${words}" in:\n${this.#output().slice(this.#seen)}`);
        this.#seen = at + words.length;
      },
      { timeout: 30_000, interval: 10 },
    );
  }

  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** Types, and waits until the command, which must read nothing else meanwhile, has read the keys. */
  async typeUntilRead(keys: string): Promise<void> {
    const before = this.#world.bytesReadAtTerminal();
    this.type(keys);
    const wanted = before + Buffer.byteLength(keys);
    await vi.waitFor(() =>
      expect(this.#world.bytesReadAtTerminal()).toBeGreaterThanOrEqual(wanted),
    );
  }

  /** Waits for the end, and returns the whole output. */
  async closed(): Promise<{ code: number | null; output: string }> {
    const [code] = await this.#closed;
    return { code: code as number | null, output: this.#output() };
  }

  /** Waits for the end of the last program of its world, and returns the whole output. */
  async end(): Promise<{ code: number | null; output: string }> {
    const closed = await this.closed();
    this.#world.expectNothingLeft();
    return closed;
  }
}

/** Collects the output of a stream. */
function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

/** True if a process exists and is not a zombie. */
export function isRunning(pid: string | number): boolean {
  const state = read(`/proc/${pid}/stat`).split(') ')[1]?.[0];
  return state !== undefined && state !== 'Z';
}

function hasTerminal(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/fd/0`).startsWith('/dev/pts/');
  } catch {
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has exited meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function threadsOf(pid: number): { state: string | undefined; worked: string }[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const facts = read(`/proc/${pid}/task/${thread}/stat`).split(') ')[1]?.split(' ') ?? [];
    return { state: facts[0], worked: facts.slice(11, 13).join('+') };
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
