import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

export type ServeOptions = {
  /** The built command. */
  main: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** File that its log is written to. */
  logFile: string;
};

/** `baton serve` as a process that is started again whenever it is gone, as a service manager does. */
export class ServedDaemon {
  #options: ServeOptions;
  #child: ChildProcess | undefined;
  #isWanted = true;
  #starting: Promise<void> | undefined;
  /** The secret of the one-time link, from the first start. */
  secret: string | undefined;
  /** Unexpected exits of a daemon that was ready. */
  readonly crashes: string[] = [];

  constructor(options: ServeOptions) {
    this.#options = options;
  }

  /** Starts it, again and again until it is ready. */
  start(): Promise<void> {
    this.#isWanted = true;
    this.#starting = this.#startUntilReady().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #startUntilReady(): Promise<void> {
    while (this.#isWanted && !(await this.#try())) await pause(100);
  }

  /** Kills it without a word, for good. */
  kill(): void {
    this.#isWanted = false;
    this.#child?.kill('SIGKILL');
  }

  /** Kills it without a word, and starts it again some time later. */
  crash(forMs: number): Promise<void> {
    return this.end('SIGKILL', forMs);
  }

  /** Ends it with a signal, together with the other processes of a service, and starts it again some time later. */
  async end(signal: NodeJS.Signals, forMs: number, others = () => {}): Promise<void> {
    const child = this.#child;
    if (this.#starting) {
      // It is tried again; a second one that is started beside it would never get the folder.
      child?.kill('SIGKILL');
      return this.#starting;
    }
    if (!child || !this.#isWanted) return;
    this.#isWanted = false;
    const gone = once(child, 'exit');
    child.kill(signal);
    others();
    await gone;
    await pause(forMs);
    await this.start();
  }

  /** Tells it to stop. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#isWanted = false;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  }

  /** Returns its last output. */
  lastWords(): string {
    return readFileSync(this.#options.logFile, 'utf8').trim().split('\n').slice(-20).join('\n');
  }

  async #try(): Promise<boolean> {
    const { main, args, env, logFile } = this.#options;
    const log = openSync(logFile, 'a');
    const child = spawn(process.execPath, [main, 'serve', ...args], {
      stdio: ['ignore', 'pipe', log],
      env,
    });
    closeSync(log);
    this.#child = child;
    const exited = once(child, 'exit');
    if (!child.stdout) throw new Error('There is nothing to read from.');
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      this.secret ??= /#link=(\S+)/.exec(line)?.[1];
    });
    const isReady = await Promise.race([
      once(lines, 'line').then(() => true),
      exited.then(() => false),
    ]);
    if (!isReady) return false;
    child.once('exit', (code, signal) => {
      if (this.#isWanted) this.crashes.push(`exit ${code ?? signal}`);
    });
    return true;
  }
}
