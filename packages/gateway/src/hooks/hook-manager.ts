import type { WarningLog } from '@baton/contracts';
import { delay } from '@baton/protocol';
import type { GatewayConfig, HookName } from '../config/load-config.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
const SHOWN_STDERR = 500;

/** A running command of a hook. */
export type HookProcess = {
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  readonly stderr: string;
  /** Ends the command and everything that it started. */
  stop(): Promise<void>;
};

/** Starts a command in a shell with additional variables. `startHook` is the production implementation. */
export type StartHook = (
  command: string,
  variables: Readonly<Record<string, string>>,
) => Promise<HookProcess>;

/** Values passed to a hook as variables: never the text of a message, which a stranger may have written. */
export type HookFacts = {
  readonly channelId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly userId?: string | undefined;
  /** `answered` or `failed`, after a run. */
  readonly outcome?: string | undefined;
};

export type HookManagerOptions = {
  start: StartHook;
  log?: WarningLog;
  timeoutMs?: number;
  /** Waits; false if the signal ended the wait. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<boolean>;
};

/** Runs the user's commands at startup, before and after runs, and at shutdown. A failure is logged and has no effect. */
export class HookManager {
  #hooks: GatewayConfig['hooks'];
  #options: Required<HookManagerOptions>;

  constructor(hooks: GatewayConfig['hooks'], options: HookManagerOptions) {
    this.#hooks = hooks;
    this.#options = { log: console, timeoutMs: DEFAULT_TIMEOUT_MS, sleep: delay, ...options };
  }

  /** Runs a hook and waits until it has ended or its time is up; never rejects. */
  async run(name: HookName, facts: HookFacts = {}): Promise<void> {
    const command = this.#hooks[name];
    if (command === undefined) return;
    try {
      const problem = await this.#execute(command, variablesOf(name, facts));
      if (problem) this.#warn(name, problem);
    } catch (error) {
      this.#warn(name, error instanceof Error ? error.message : String(error));
    }
  }

  async #execute(
    command: string,
    variables: Readonly<Record<string, string>>,
  ): Promise<string | undefined> {
    const { start, timeoutMs, sleep } = this.#options;
    const process = await start(command, variables);
    const ended = new AbortController();
    const timeout = sleep(timeoutMs, ended.signal);
    const exit = await Promise.race([process.exited, timeout.then(() => undefined)]);
    ended.abort();
    await process.stop();
    if (!exit) return `it took longer than ${timeoutMs} ms and was stopped`;
    if (exit.code === 0) return undefined;
    const end = exit.code === null ? `signal ${exit.signal}` : `exit code ${exit.code}`;
    const stderr = process.stderr.trim().slice(-SHOWN_STDERR);
    return stderr === '' ? end : `${end}: ${stderr}`;
  }

  #warn(name: HookName, problem: string): void {
    this.#options.log.warn(`Hook ${name} failed: ${problem}`);
  }
}

function variablesOf(name: HookName, facts: HookFacts): Record<string, string> {
  const { channelId, messageId, userId, outcome } = facts;
  const variables = {
    BATON_HOOK: name,
    BATON_CHANNEL_ID: channelId,
    BATON_MESSAGE_ID: messageId,
    BATON_USER_ID: userId,
    BATON_OUTCOME: outcome,
  };
  return Object.fromEntries(
    Object.entries(variables).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value]],
    ),
  );
}
