import { BatonError, type ErrorInfo } from '@baton/protocol/values';
import type { RunHooks } from '../definition/backend.ts';
import type {
  BackgroundWait,
  Dialect,
  EventDraft,
  PromptInput,
  StreamEnd,
  Verdict,
} from '../definition/dialect.ts';
import type {
  AnyDriver,
  Channel,
  ConnectInput,
  FinishedCommand,
  Launch,
  ResolvedOptions,
  StopTimes,
} from '../definition/driver.ts';
import { errorText } from '../normalize/error-text.ts';
import { keepHead, readLine } from '../normalize/read-line.ts';
import { stderrNotices } from '../normalize/stderr.ts';
import { TempFiles } from '../paths/temp-files.ts';
import {
  AgentProcess,
  killLeftovers,
  pathOutside,
  signalStep,
  stopProcess,
} from '../process/index.ts';
import { processes } from './stop-link.ts';

export type LinkInput = {
  runId: string;
  driver: AnyDriver;
  /** Display name of the agent. */
  label: string;
  options: ResolvedOptions;
  file: string;
  library: string | undefined;
  /** The arguments that come before those of the driver, where the user gave a command instead of a program. */
  firstArgs: readonly string[];
  resume: string | undefined;
  fork: boolean;
  prompt: PromptInput;
  onLaunch: RunHooks['onLaunch'];
  onPrinted: RunHooks['onPrinted'];
  onSent: RunHooks['onSent'];
  confine: RunHooks['confine'];
  /** Aborted when the run is stopped before the agent is there. */
  signal: AbortSignal;
  /** Called after a line was read. */
  onLine(): void;
  onEmit(draft: EventDraft): void;
  onComplete(verdict: Verdict): void;
  onGiveUp(error: ErrorInfo): void;
  onLimit(error: ErrorInfo): void;
  onBackground(wait: BackgroundWait | undefined): void;
};

export type LinkEnd = StreamEnd & { leftovers: number; remaining: number };

/** A running agent and its dialect. */
export class AgentLink {
  readonly dialect: Dialect;
  /** The agent's process; none where Baton only connects to it. */
  readonly process: AgentProcess | undefined;
  /** Settles when the agent has exited, what it left behind is gone and all its output was read. */
  readonly ended: Promise<LinkEnd>;
  /** True while a stop is in progress: then no notice reports the killed processes. */
  stopping = false;
  #connection: Connection | undefined;
  #isOver = false;

  static async start(input: LinkInput): Promise<AgentLink> {
    const { driver, options } = input;
    const files = new TempFiles();
    let process: AgentProcess | undefined;
    let connection: Connection | undefined;
    try {
      const launch = await driver.launch?.({
        ...launchFacts(input),
        tempFile: (name, content) => files.write(name, content),
        runFirst: (args) => runFirst(input, args),
      });
      const dialect = driver.dialect(
        {
          emit: input.onEmit,
          complete: input.onComplete,
          giveUp: input.onGiveUp,
          passLimit: input.onLimit,
          awaitBackground: input.onBackground,
          write: (frame) => {
            const text = connection || frame.endsWith('\n') ? frame : `${frame}\n`;
            input.onSent?.(text);
            if (connection) connection.send(text);
            else process?.write(text);
          },
        },
        { options, resume: input.resume, fork: input.fork, library: input.library },
      );
      const read = (line: string) => {
        input.onPrinted?.(line, 'stdout');
        readLine(dialect, line, input.onEmit);
        input.onLine();
      };
      if (driver.connect) connection = new Connection(read);
      if (launch) process = await startProcess(input, launch, { dialect, files, connection, read });
      if (driver.connect && connection) await connection.open(driver.connect, input, process);
      dialect.open?.();
      return new AgentLink({
        process,
        connection,
        dialect,
        files,
        stop: driver.stop,
        emit: input.onEmit,
      });
    } catch (error) {
      connection?.close();
      if (process) await stopProcess({ process, steps: [] });
      files.remove();
      throw error;
    }
  }

  private constructor({ process, connection, dialect, ...rest }: LinkParts) {
    this.process = process;
    this.#connection = connection;
    this.dialect = dialect;
    this.ended = this.#untilEnd(rest);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Settles when the agent has exited, or the connection to it is over. */
  get exited(): Promise<unknown> {
    return Promise.race([this.process?.exited, this.#connection?.closed].filter(isPromise));
  }

  alive(): boolean {
    return (this.process?.alive() ?? true) && this.#connection?.isOpen !== false;
  }

  /** Stops reading the agent's output (backpressure). */
  pause(): void {
    if (this.#connection) this.#connection.pause();
    else this.process?.pause();
  }

  resume(): void {
    if (this.#connection) this.#connection.resume();
    else this.process?.resume();
  }

  /** Tells the agent that nothing follows. */
  endInput(): void {
    this.dialect.close?.();
    this.#connection?.close();
    this.process?.endStdin();
  }

  async #untilEnd({
    files,
    stop,
    emit,
  }: Pick<LinkParts, 'files' | 'stop' | 'emit'>): Promise<LinkEnd> {
    const { process } = this;
    await this.exited;
    const lost = this.#connection?.lost;
    this.#connection?.close();
    // A process is of no use without its connection.
    const stopped =
      process && this.#connection && process.alive()
        ? await stopProcess({ process, steps: [signalStep(process, stop.signal, stop.signalMs)] })
        : undefined;
    const left = process ? await killLeftovers(process) : { killed: 0, remaining: 0 };
    // A stop also ends what the process leaves behind; one that did not obey was killed itself.
    if (stopped?.acknowledgedAt !== undefined) left.killed += stopped.killed;
    const closed = await process?.closed;
    this.#isOver = true;
    files.remove();
    if (left.killed > 0 && !this.stopping) {
      emit({
        type: 'notice',
        level: 'warning',
        code: 'leftover_processes',
        message: `The agent left ${processes(left.killed)} running; ${left.killed === 1 ? 'it was' : 'they were'} killed.`,
        data: left,
      });
    }
    return {
      code: closed?.code,
      signal: closed?.signal,
      stderr: process?.stderr ?? '',
      ...(lost === undefined ? {} : { lost }),
      leftovers: left.killed,
      remaining: left.remaining,
    };
  }
}

type LinkParts = {
  process: AgentProcess | undefined;
  connection: Connection | undefined;
  dialect: Dialect;
  files: TempFiles;
  stop: StopTimes;
  emit(draft: EventDraft): void;
};

/** The connection to an agent; it buffers messages while paused. */
class Connection {
  /** Reason why the other side ended it. */
  lost: string | undefined;
  #channel: Channel | undefined;
  #closed = Promise.withResolvers<void>();
  #isOpen = true;
  #isPaused = false;
  #waiting: string[] = [];
  #printed: ((line: string) => void)[] = [];
  #read: (message: string) => void;

  constructor(read: (message: string) => void) {
    this.#read = read;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  async open(
    connect: (input: ConnectInput) => Promise<Channel>,
    input: LinkInput,
    process: AgentProcess | undefined,
  ): Promise<void> {
    const { signal } = input;
    const quit = Promise.withResolvers<never>();
    const abort = () => quit.reject(new BatonError('interrupted', 'The run was cancelled.'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const channel = connect({
      ...launchFacts(input),
      signal,
      printed: (fits) => this.#untilPrinted(fits, process, input.label),
      onMessage: (message) => this.#take(message),
      onClose: (reason) => this.#end(reason),
    });
    try {
      this.#channel = await Promise.race([channel, quit.promise]);
    } catch (error) {
      // A connection that opens after the abort is closed at once.
      void channel.then((late) => late.close()).catch(() => {});
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Takes a line of the process behind the connection. */
  print(line: string): void {
    for (const each of [...this.#printed]) each(line);
  }

  send(frame: string): void {
    if (this.#isOpen) this.#channel?.send(frame);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#end();
    this.#channel?.close();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    while (!this.#isPaused && this.#waiting.length > 0) this.#read(this.#waiting.shift() ?? '');
  }

  #take(message: string): void {
    if (this.#isPaused) this.#waiting.push(message);
    else this.#read(message);
  }

  #end(reason?: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.lost = reason;
    this.resume();
    this.#closed.resolve();
  }

  async #untilPrinted(
    fits: (line: string) => boolean,
    process: AgentProcess | undefined,
    label: string,
  ): Promise<string> {
    const found = Promise.withResolvers<string>();
    const look = (line: string) => {
      if (fits(line)) found.resolve(line);
    };
    this.#printed.push(look);
    const gone = async () => {
      const end = await process?.closed;
      const words = errorText(process?.stderr ?? '') || `exit code ${end?.code ?? 'unknown'}`;
      const code = end?.code === 0 ? 'output_unreadable' : 'agent_crashed';
      throw new BatonError(code, `${label} exited before Baton could connect: ${words}`);
    };
    try {
      return await Promise.race([found.promise, gone()]);
    } finally {
      this.#printed = this.#printed.filter((each) => each !== look);
    }
  }
}

type ProcessParts = {
  dialect: Dialect;
  files: TempFiles;
  connection: Connection | undefined;
  read(line: string): void;
};

async function startProcess(
  input: LinkInput,
  launch: Launch,
  { dialect, files, connection, read }: ProcessParts,
): Promise<AgentProcess> {
  const { options, driver } = input;
  const command = {
    file: input.file,
    args: [...input.firstArgs, ...launch.args],
    cwd: options.cwd,
  };
  input.onLaunch?.({ ...command, transport: driver.transport });
  const stderr = stderrNotices(input.onEmit);
  const process = await AgentProcess.spawn({
    ...command,
    ...input.confine?.({ ...command, files: files.folder }),
    env: { ...agentEnvironment(options), ...launch.env },
    runId: input.runId,
    stdin: launch.stdin === 'none' ? 'none' : 'pipe',
    onLine: (line) => (connection ? connection.print(line) : read(line)),
    onLongLine: (head, bytes) => {
      if (connection) return;
      input.onPrinted?.(head, 'stdout');
      keepHead(head, bytes, input.onEmit);
    },
    onStderrLine: (line) => {
      input.onPrinted?.(line, 'stderr');
      if (!dialect.stderrLine?.(line)) stderr(line);
    },
  });
  if (typeof launch.stdin === 'object') {
    input.onSent?.(launch.stdin.text);
    process.write(launch.stdin.text);
    process.endStdin();
  }
  return process;
}

/** Runs a command of the agent's program like the agent itself, and ends it when the run is stopped. */
async function runFirst(input: LinkInput, args: readonly string[]): Promise<FinishedCommand> {
  const { options, signal } = input;
  const command = { file: input.file, args: [...input.firstArgs, ...args], cwd: options.cwd };
  const stdout: string[] = [];
  const process = await AgentProcess.spawn({
    ...command,
    ...input.confine?.(command),
    env: agentEnvironment(options),
    runId: input.runId,
    stdin: 'none',
    onLine: (line) => stdout.push(line),
  });
  const stop = () => void stopProcess({ process, steps: [] });
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const { code } = await process.closed;
    if (signal.aborted) throw new BatonError('interrupted', 'The run was cancelled.');
    return { code, stdout: stdout.join('\n'), stderr: process.stderr };
  } finally {
    signal.removeEventListener('abort', stop);
    await killLeftovers(process);
  }
}

/** In an untrusted folder, the agent's PATH contains no programs of the folder. */
function agentEnvironment({ cwd, env, trust }: ResolvedOptions): ResolvedOptions['env'] {
  return trust.trusted || env.PATH === undefined
    ? env
    : { ...env, PATH: pathOutside({ cwd, env }) };
}

function launchFacts({ options, resume, fork, prompt, library }: LinkInput) {
  return { options, resume, fork, prompt, library };
}

function isPromise(value: Promise<unknown> | undefined): value is Promise<unknown> {
  return value !== undefined;
}
