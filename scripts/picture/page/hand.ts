import { BatonClient } from '@baton/client';
import type { AgentEvent } from '@baton/protocol';

/** What an agent says, without what the log adds to it. */
export type Said = Record<string, unknown> & { type: string };

export type Scene = {
  folder: string;
  backend: string;
  prompt: string;
  /** What its agent says. */
  said: readonly Said[];
};

/** Plays agents by hand: each says exactly what the picture needs. */
export class Hand {
  #client: BatonClient;
  #url: string;
  #executors: BatonClient[] = [];

  constructor(url: string, token: string) {
    this.#url = url;
    this.#client = new BatonClient({ url, token });
  }

  /** Begins a session, and plays what happens in it; gives its id. */
  async play({ folder, backend, prompt, said }: Scene): Promise<string> {
    const { session_id } = await this.#client.sessions.create({ cwd: folder, backend });
    const { task_id } = await this.#client.sessions.executeTask(session_id, { prompt });
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
    return session_id;
  }

  /** Puts another prompt behind what a session does. */
  async queue(session_id: string, prompt: string): Promise<void> {
    await this.#client.sessions.executeTask(session_id, { prompt });
  }

  close(): void {
    for (const each of [this.#client, ...this.#executors]) each.close();
  }
}
