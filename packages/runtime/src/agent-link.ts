import type { ErrorInfo } from '@baton/protocol';
import type { RunHooks } from './backend.ts';
import type { Dialect, EventDraft, PromptInput, StreamEnd, Verdict } from './dialect.ts';
import type { Driver, ResolvedOptions } from './driver.ts';
import { keepHead, readLine } from './normalize/read-line.ts';
import { stderrNotices } from './normalize/stderr.ts';
import { AgentProcess, killLeftovers, pathOutside, stopProcess } from './process/index.ts';
import { processes } from './stop-link.ts';
import { TempFiles } from './temp-files.ts';

export type LinkInput = {
  runId: string;
  driver: Driver;
  options: ResolvedOptions;
  file: string;
  resume: string | undefined;
  fork: boolean;
  prompt: PromptInput;
  onLaunch: RunHooks['onLaunch'];
  onPrinted: RunHooks['onPrinted'];
  confine: RunHooks['confine'];
  /** Called after a line was read. */
  onLine(): void;
  onEmit(draft: EventDraft): void;
  onComplete(verdict: Verdict): void;
  onGiveUp(error: ErrorInfo): void;
};

/** In a folder that nobody trusted, an agent finds no programs that the folder brings. */
function agentEnvironment({ cwd, env, trust }: ResolvedOptions): ResolvedOptions['env'] {
  return trust.trusted || env.PATH === undefined
    ? env
    : { ...env, PATH: pathOutside({ cwd, env }) };
}

export type LinkEnd = StreamEnd & { leftovers: number; remaining: number };

/** A running agent process and the dialect that understands it. */
export class AgentLink {
  readonly process: AgentProcess;
  readonly dialect: Dialect;
  /** Settles when the agent has exited, what it left behind is gone and all its output was read. */
  readonly ended: Promise<LinkEnd>;
  #isOver = false;

  static async start(input: LinkInput): Promise<AgentLink> {
    const { driver, options } = input;
    const files = new TempFiles();
    let process: AgentProcess | undefined;
    try {
      const launch = await driver.launch({
        options,
        resume: input.resume,
        fork: input.fork,
        prompt: input.prompt,
        tempFile: (name, content) => files.write(name, content),
      });
      input.onLaunch?.({
        file: input.file,
        args: launch.args,
        cwd: options.cwd,
        transport: driver.transport,
      });
      const dialect = driver.dialect(
        {
          emit: input.onEmit,
          complete: input.onComplete,
          giveUp: input.onGiveUp,
          write: (frame) => process?.write(frame.endsWith('\n') ? frame : `${frame}\n`),
        },
        { options, resume: input.resume, fork: input.fork },
      );
      const stderr = stderrNotices(input.onEmit);
      const command = { file: input.file, args: launch.args, cwd: options.cwd };
      process = await AgentProcess.spawn({
        ...command,
        ...input.confine?.({ ...command, files: files.folder }),
        env: { ...agentEnvironment(options), ...launch.env },
        runId: input.runId,
        stdin: launch.stdin === 'none' ? 'none' : 'pipe',
        onLine: (line) => {
          input.onPrinted?.(line, 'stdout');
          readLine(dialect, line, input.onEmit);
          input.onLine();
        },
        onLongLine: (head, bytes) => {
          input.onPrinted?.(head, 'stdout');
          keepHead(head, bytes, input.onEmit);
        },
        onStderrLine: (line) => {
          input.onPrinted?.(line, 'stderr');
          if (!dialect.stderrLine?.(line)) stderr(line);
        },
      });
      if (typeof launch.stdin === 'object') {
        process.write(launch.stdin.text);
        process.endStdin();
      }
      dialect.open?.();
      return new AgentLink(process, dialect, files, input.onEmit);
    } catch (error) {
      if (process) await stopProcess({ process, steps: [] });
      files.remove();
      throw error;
    }
  }

  private constructor(
    process: AgentProcess,
    dialect: Dialect,
    files: TempFiles,
    emit: (draft: EventDraft) => void,
  ) {
    this.process = process;
    this.dialect = dialect;
    this.ended = this.#untilEnd(files, emit);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether a stop is under way, so that killed processes are no news. */
  stopping = false;

  async #untilEnd(files: TempFiles, emit: (draft: EventDraft) => void): Promise<LinkEnd> {
    await this.process.exited;
    const left = await killLeftovers(this.process);
    const { code, signal } = await this.process.closed;
    this.#isOver = true;
    files.remove();
    if (left.killed > 0 && !this.stopping) {
      emit({
        type: 'notice',
        level: 'warning',
        code: 'leftover_processes',
        message: `The agent left ${processes(left.killed)} running; ${left.killed === 1 ? 'it was' : 'they were'} ended.`,
        data: left,
      });
    }
    return {
      code,
      signal,
      stderr: this.process.stderr,
      leftovers: left.killed,
      remaining: left.remaining,
    };
  }
}
