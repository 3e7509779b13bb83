import { TempFiles } from '@baton/config/paths/temp-files';
import { type AgentProcess, killLeftovers, signalStep, stopProcess } from '@baton/process';
import type { Dialect, EventDraft, StreamEnd } from '../definition/dialect.ts';
import type { StopTimes } from '../definition/driver.ts';
import { readLine } from '../normalize/read-line.ts';
import { AgentConnection } from './agent-connection.ts';
import { type LinkInput, launchFacts } from './link-input.ts';
import { runFirst, startProcess } from './start-process.ts';
import { processes } from './stop-link.ts';
import { untilReady } from './until-ready.ts';

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
  #connection: AgentConnection | undefined;
  #isOver = false;

  static async start(input: LinkInput): Promise<AgentLink> {
    const { driver, options } = input;
    const files = new TempFiles();
    let process: AgentProcess | undefined;
    let connection: AgentConnection | undefined;
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
      if (driver.connect) connection = new AgentConnection(read);
      if (launch && launch.stdin !== 'open') await untilReady(input.ready, input.signal);
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
  connection: AgentConnection | undefined;
  dialect: Dialect;
  files: TempFiles;
  stop: StopTimes;
  emit(draft: EventDraft): void;
};

function isPromise(value: Promise<unknown> | undefined): value is Promise<unknown> {
  return value !== undefined;
}
