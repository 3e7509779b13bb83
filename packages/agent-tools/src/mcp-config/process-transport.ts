import { randomUUID } from 'node:crypto';
import { parseJson } from '@baton/config/values/json';
import {
  AgentProcess,
  killLeftovers,
  type SpawnRequest,
  signalStep,
  stopProcess,
} from '@baton/process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

const STOP_MS = 1000;

/** An MCP server that is started as a process; everything that it started is ended with it. */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void;
  readonly #command: Pick<SpawnRequest, 'file' | 'args' | 'cwd' | 'env'>;
  #process: AgentProcess | undefined;
  #closing: Promise<void> | undefined;
  /** The last line on stdout that is no message. */
  #noise: string | undefined;
  #exitCode: number | null | undefined;

  constructor(command: Pick<SpawnRequest, 'file' | 'args' | 'cwd' | 'env'>) {
    this.#command = command;
  }

  async start(): Promise<void> {
    this.#process = await AgentProcess.spawn({
      ...this.#command,
      runId: `mcp_${randomUUID()}`,
      stdin: 'pipe',
      onLine: (line) => this.#read(line),
    });
    void this.#process.closed.then(({ code }) => {
      this.#exitCode = code;
      this.onclose?.();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#process?.write(`${JSON.stringify(message)}\n`);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** End of the process, if it exited by itself: its exit code and the line that says why. */
  get end(): { code: number | null; lastLine: string | undefined } | undefined {
    if (this.#exitCode === undefined) return undefined;
    const lines = this.#process?.stderr.trimEnd().split('\n') ?? [];
    // A program that crashed prints more after the line that says why.
    const telling = lines.find((line) => /\b\w*(?:error|exception)\b/i.test(line)) ?? lines.at(-1);
    return { code: this.#exitCode, lastLine: telling?.trim() || this.#noise };
  }

  #read(line: string): void {
    const message = parseJson(line);
    if (typeof message === 'object' && message !== null)
      this.onmessage?.(message as JSONRPCMessage);
    else if (line.trim() !== '') this.#noise = line;
  }

  async #end(): Promise<void> {
    const process = this.#process;
    if (!process) return;
    await stopProcess({
      process,
      steps: [
        { step: 'stdin', waitMs: STOP_MS, act: () => process.endStdin() },
        signalStep(process, 'SIGTERM', STOP_MS),
      ],
    });
    await killLeftovers(process);
  }
}
