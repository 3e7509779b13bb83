import { randomUUID } from 'node:crypto';
import { AgentProcess, stopProcess } from '@baton/process';
import type { Confine, Environment } from '@baton/process/isolation/confine';
import { BatonError, ERROR_CODES, type ErrorCode } from '@baton/protocol/values';
import { ownerOf } from '../worktree/workspace-owner.ts';
import type { HelperReport, HelperRequest } from './messages.ts';

/** Program that runs an operation in the isolation of a session: the command `baton` with an argument of its own. */
export type HelperCommand = { file: string; args: readonly string[] };

/** Isolation in which helpers run. */
export type ConfinedPlace = {
  command: HelperCommand;
  /** Wraps the helper for a folder. */
  confine: Confine;
};

/** Variables that a helper gets. Agents of the same account can read them, so none may be a secret. */
const PASSED = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ)$/;
const MAX_LINE = 48 * 1024 * 1024;
const MAX_TEXT = 2000;

/** A process that works on files in the isolation of a session. */
export class HelperProcess {
  #process: AgentProcess;
  /** Takes every report until the process is gone. */
  #onReport: (report: HelperReport) => void;
  #problem: BatonError | undefined;
  /** Settles with the reason once the process is gone. */
  readonly gone: Promise<BatonError>;

  private constructor(process: AgentProcess, onReport: (report: HelperReport) => void) {
    this.#process = process;
    this.#onReport = onReport;
    this.gone = process.closed.then(() => this.#problem ?? ended(process));
  }

  /** Starts a helper for a folder. */
  static async start(
    { command, confine }: ConfinedPlace,
    folder: string,
    onReport: (report: HelperReport) => void,
  ): Promise<HelperProcess> {
    let helper: HelperProcess | undefined;
    const env = helperEnvironment(process.env);
    const confined = confine({ ...command, cwd: folder, env });
    const child = await AgentProcess.spawn({
      ...confined,
      env: confined.env ?? env,
      cwd: confined.cwd ?? '/',
      runId: `workspace-${randomUUID()}`,
      stdin: 'pipe',
      onLine: (line) => helper?.take(line),
      onLongLine: () => helper?.end(new BatonError('too_large', 'The answer is too large.')),
    });
    helper = new HelperProcess(child, onReport);
    return helper;
  }

  /** Sends what the helper is to do. */
  begin(request: { call: string; args: unknown }): void {
    this.send({ ...request, self: ownerOf(this.#process.pid) });
  }

  send(request: HelperRequest): void {
    this.#process.write(`${JSON.stringify(request)}\n`);
  }

  take(line: string): void {
    if (this.#problem) return;
    if (line.length > MAX_LINE) return this.end(new BatonError('too_large', 'Too large.'));
    try {
      this.#onReport(JSON.parse(line) as HelperReport);
    } catch (cause) {
      this.end(new BatonError('internal', 'A helper printed something else.', { cause }));
    }
  }

  /** Ends the process and everything that it started. */
  end(problem?: BatonError): void {
    this.#problem ??= problem;
    void stopProcess({ process: this.#process, steps: [] });
  }

  /** Ends the process, and waits until it is gone. */
  async close(): Promise<void> {
    this.#process.endStdin();
    await stopProcess({ process: this.#process, steps: [] });
  }
}

function helperEnvironment(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name)));
}

function ended({ stderr }: AgentProcess): BatonError {
  const words = stderr.trim().split('\n').at(-1)?.slice(0, MAX_TEXT);
  return new BatonError(
    'config_invalid',
    `The helper that reads files in the isolation ended without a result${words ? `: ${words}` : '.'}`,
    {
      hint: 'The isolated account must be able to run Baton: install it where every user can read it, such as /usr/local.',
    },
  );
}

/** The error that a helper reports. */
export function reportedError(error: unknown): BatonError {
  const { code, message, hint } = (error ?? {}) as Partial<Record<string, unknown>>;
  const known = typeof code === 'string' && Object.hasOwn(ERROR_CODES, code);
  const text = (value: unknown) => String(value ?? '').slice(0, MAX_TEXT);
  return new BatonError(known ? (code as ErrorCode) : 'internal', text(message), {
    ...(typeof hint === 'string' ? { hint: text(hint) } : {}),
  });
}
