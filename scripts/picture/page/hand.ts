import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { BatonClient, type NewChainRun } from '@baton/client';
import type { AgentEvent } from '@baton/protocol';

import type { Times } from './backdate.ts';

/** Event of an agent, without the fields that the log adds. */
export type Said = Record<string, unknown> & { type: string };

export type Scene = {
  folder: string;
  backend: string;
  prompt: string;
  times: Times;
  /** Events of its agent. */
  said: readonly Said[];
};

/** Plays agents by hand: each emits exactly the events that the picture needs. */
export class Hand {
  #client: BatonClient;
  #url: string;
  #executors: BatonClient[] = [];

  constructor(url: string, token: string) {
    this.#url = url;
    this.#client = new BatonClient({ url, token });
  }

  /** Creates a session and plays its events; returns its id. */
  async play({ folder, backend, prompt, said }: Scene): Promise<string> {
    const { session_id } = await this.#client.sessions.create({ cwd: folder, backend });
    const { task_id } = await this.#client.sessions.executeTask(session_id, { prompt });
    await this.#perform(task_id, { folder, backend, said });
    return session_id;
  }

  /** Starts a chain of a file. */
  async startChain(run: NewChainRun): Promise<string> {
    const cwd = dirname(run.file);
    const [known] = await this.#client.chains.find({ cwd });
    await this.#client.chains.trust({ file: run.file, hash: known?.hash ?? '' });
    return (await this.#client.chainRuns.create(run)).chain_run_id;
  }

  /** Plays the events of a step's session, as soon as its task is queued. */
  async playStep(title: string, said: readonly Said[]): Promise<void> {
    for (;;) {
      const { data } = await this.#client.tasks.find({ status: 'QUEUED' });
      const task = data.find(({ session_title }) => session_title === title);
      if (task) {
        const { task_id, cwd: folder, backend } = task;
        return this.#perform(task_id, { folder, backend, said });
      }
      await setTimeout(100);
    }
  }

  async #perform(
    task_id: string,
    { folder, backend, said }: Pick<Scene, 'folder' | 'backend' | 'said'>,
  ): Promise<void> {
    const facts = { task_id, host: 'picture', pid: process.pid };
    const { token } = await this.#client.executors.create(facts);
    const executor = new BatonClient({ url: this.#url, token });
    this.#executors.push(executor);
    const runId = crypto.randomUUID();
    const started = { type: 'run.started', backend, transport: 'live', cwd: folder };
    const events = [started, ...said].map((event, index) => {
      return { ...event, seq: index + 1, runId, time: Date.now() } as unknown as AgentEvent;
    });
    await executor.messages.append(events);
  }

  /** Waits until a step of a chain run has ended. */
  async untilStepEnds(run: string, step: string): Promise<void> {
    for await (const event of this.#client.chainRuns.follow(run)) {
      if (event.type === 'step.completed' && event.step === step) return;
    }
  }

  /** Queues another prompt in a session. */
  async queue(session_id: string, prompt: string): Promise<void> {
    await this.#client.sessions.executeTask(session_id, { prompt });
  }

  close(): void {
    for (const each of [this.#client, ...this.#executors]) each.close();
  }
}
