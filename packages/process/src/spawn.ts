import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { BoundedText } from './bounded-text.ts';
import { isHolder } from './kill.ts';
import { LineSplitter } from './line-splitter.ts';
import { track, untrack } from './live-agents.ts';
import { PausableLines } from './pausable-lines.ts';
import { readProcess } from './proc-fs.ts';
import { problemBeforeSpawn, spawnError } from './spawn-error.ts';
import { markerOf, type SpawnRequest, startChild } from './spawn-request.ts';

/** Milliseconds that the pipes of a process that is gone may stay open in other processes. */
const PIPE_GRACE_MS = 250;
const MAX_STDERR_LINE_BYTES = 1024 * 1024;

export type ProcessExit = { code: number | null; signal: NodeJS.Signals | null };

/** An agent's process in its own session, with its output as lines and its exit as promises. */
export class AgentProcess {
  readonly pid: number;
  /** Start time of the process, as the system counts it, so that a recycled pid is never killed. */
  readonly startTicks: number | undefined;
  /** Name of the environment variable that everything the process starts inherits. */
  readonly marker: string;
  /** The process is gone. Its last output may still be on the way. */
  readonly exited: Promise<ProcessExit>;
  /** The process is gone and every line of it was delivered, which waits for `resume()` when paused. */
  readonly closed: Promise<ProcessExit>;
  readonly #child: ChildProcess;
  readonly #stdout: PausableLines;
  readonly #stderr = new BoundedText();
  #exit: ProcessExit | undefined;
  #stdinError: Error | undefined;

  /** Starts a process, or rejects with a `BatonError` that says why it cannot be started. */
  static async spawn(request: SpawnRequest): Promise<AgentProcess> {
    const problem = problemBeforeSpawn(request);
    if (problem) throw problem;
    const child = startChild(request);
    if (child.pid === undefined) {
      const [error] = await once(child, 'error');
      throw spawnError(error, request);
    }
    // Made before the event, so that an exit of this program in between leaves nothing behind.
    const agent = new AgentProcess(child, child.pid, request);
    await once(child, 'spawn');
    return agent;
  }

  private constructor(child: ChildProcess, pid: number, request: SpawnRequest) {
    this.pid = pid;
    this.startTicks = readProcess(pid)?.startTicks;
    this.marker = markerOf(request);
    this.#child = child;
    this.#stdout = this.#followStdout(request);
    this.#followStderr(request);
    child.stdin?.on('error', (error) => {
      this.#stdinError ??= error;
    });

    const exited = Promise.withResolvers<ProcessExit>();
    const closed = Promise.withResolvers<ProcessExit>();
    this.exited = exited.promise;
    this.closed = closed.promise;
    let grace: NodeJS.Timeout | undefined;
    child.once('exit', (code, signal) => {
      this.#exit = { code, signal };
      exited.resolve(this.#exit);
      // From here on a pause only holds lines back: what is left in the pipe is small.
      child.stdout?.resume();
      grace = setTimeout(() => this.#letGoOfPipes(), PIPE_GRACE_MS);
    });
    child.once('close', async (code, signal) => {
      clearTimeout(grace);
      await this.#stdout.drained;
      untrack(this);
      closed.resolve({ code, signal });
    });
    if (!request.mayOutlive) track(this);
  }

  /** Everything it wrote to stderr, or the first 8 KiB and the last 56 KiB of it. */
  get stderr(): string {
    return this.#stderr.toString();
  }

  /** Error of writing to the process, once that has failed. */
  get stdinError(): Error | undefined {
    return this.#stdinError;
  }

  /** Writes to stdin; a process that no longer reads is not an error. */
  write(text: string): void {
    if (this.#child.stdin?.writable) this.#child.stdin.write(text);
  }

  /** Closes stdin after everything that was written. */
  endStdin(): void {
    this.#child.stdin?.end();
  }

  /** Stops the flow of stdout lines, so that the process waits too once the pipe is full. */
  pause(): void {
    this.#stdout.pause();
    if (this.alive()) this.#child.stdout?.pause();
  }

  /** Lets stdout lines flow again, beginning with those held back. */
  resume(): void {
    this.#child.stdout?.resume();
    this.#stdout.resume();
  }

  /** True if the process has not exited yet. */
  alive(): boolean {
    return this.#exit === undefined;
  }

  /** Sends a signal to the process alone, not to its group; returns true if it was sent. */
  signal(signal: NodeJS.Signals): boolean {
    if (!this.alive() || !isHolder(this.pid, this.startTicks)) return false;
    try {
      return process.kill(this.pid, signal);
    } catch {
      return false;
    }
  }

  /** Detaches the process from this program, which may then exit without killing it. */
  release(): void {
    untrack(this);
    this.#child.stdin?.destroy();
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#child.unref();
  }

  #followStdout(request: SpawnRequest): PausableLines {
    const splitter = new LineSplitter((line) => request.onLine(line), {
      onTooLong: (head, bytes) => request.onLongLine?.(head, bytes),
    });
    const lines = new PausableLines(splitter);
    this.#child.stdout?.on('data', (chunk: Buffer) => lines.push(chunk));
    this.#child.stdout?.on('error', () => {});
    this.#child.stdout?.once('close', () => lines.end());
    return lines;
  }

  #followStderr(request: SpawnRequest): void {
    const splitter = new LineSplitter((line) => request.onStderrLine?.(line), {
      maxLineBytes: MAX_STDERR_LINE_BYTES,
      onTooLong: (head) => request.onStderrLine?.(head),
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr.push(chunk);
      splitter.push(chunk);
    });
    this.#child.stderr?.on('error', () => {});
    this.#child.stderr?.once('close', () => splitter.end());
  }

  #letGoOfPipes(): void {
    // If this program was busy all the while, the last output still waits to be read. The loop
    // reads everything that waits between a timer and the next immediate.
    setImmediate(() => {
      this.#child.stdout?.destroy();
      this.#child.stderr?.destroy();
    });
  }
}
