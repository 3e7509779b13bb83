import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BatonClient, ExecutorStart } from '@baton/client';
import { type AgentEvent, rawName, spoolName } from '@baton/protocol';
import { RawLog } from './raw-log.ts';
import { Reporter } from './reporter.ts';
import { Spool } from './spool.ts';
import { validEvents } from './valid-events.ts';

const MB = 1024 * 1024;
/** The daemon accepts requests of up to 32 MB. */
const SPOOL = { maxBytes: 256 * MB, batchBytes: MB / 4, maxEventBytes: 16 * MB };
/** Longest wait for the raw output to be sent when a task ends. */
const RAW_PATIENCE_MS = 2000;

const TROUBLE = 'The daemon is unreachable. Events are spooled and reported when it is back.';

type ReportOptions = {
  /** Folder of the spool and the raw output. */
  folder: string;
  /** Called with messages for the user. */
  tell?: ((line: string) => void) | undefined;
};

/** The reports of one task to the daemon: its events, which are never lost, and the raw output of the agent. */
export class TaskReport {
  readonly raw: RawLog;
  #path: string;
  #rawPath: string;
  #spool: Spool;
  #reporter: Reporter;
  /** Number of events added to those of the run; later events are renumbered by it. */
  #added = 0;

  constructor(
    client: BatonClient,
    { task: { task_id: taskId }, raw_max_bytes: maxBytes }: ExecutorStart,
    { folder, tell }: ReportOptions,
  ) {
    // An executor that is kept for another task may find the folder gone.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#path = join(folder, spoolName(taskId));
    this.#spool = new Spool(this.#path, SPOOL);
    this.#reporter = new Reporter({
      spool: this.#spool,
      onTrouble: () => tell?.(TROUBLE),
      send: async (events) => ({ lastSeq: (await client.messages.append(events)).last_seq }),
    });
    this.#rawPath = join(folder, rawName(taskId));
    this.raw = new RawLog({
      path: this.#rawPath,
      maxBytes,
      send: async (piece) => (await client.tasks.appendRaw(piece)).bytes,
    });
  }

  /** Settles when an event is safe on the disk. */
  async event(event: AgentEvent): Promise<void> {
    // After its last event the task has no executor that could send more.
    if (event.type === 'run.completed') {
      await Promise.race([this.raw.flush(), pause(RAW_PATIENCE_MS, undefined, { ref: false })]);
    }
    const [first = event, ...more] = validEvents(event);
    await this.#report(first);
    for (const each of more) {
      this.#added += 1;
      await this.#report(each);
    }
  }

  #report(event: AgentEvent): Promise<void> {
    return this.#reporter.report(
      this.#added === 0 ? event : { ...event, seq: event.seq + this.#added },
    );
  }

  /** Settles when the daemon has every event. */
  async done(): Promise<void> {
    await this.#reporter.flush();
    rmSync(this.#path, { force: true });
  }

  /** Removes the files with everything that the daemon has not received. */
  forget(): void {
    for (const path of [this.#path, this.#rawPath]) rmSync(path, { force: true });
  }

  close(): void {
    this.raw.end();
    this.#spool.close();
  }
}
