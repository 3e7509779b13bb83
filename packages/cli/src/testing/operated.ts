import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatonClient, type NewTask, type PendingRecord } from '@baton/client';
import type { TaskRecord } from '@baton/protocol';
import { expect, onTestFinished, vi } from 'vitest';
import { CliWorld, type Finished } from './baton.ts';
import { type Served, serveIn } from './served.ts';

const PATIENCE_MS = 20_000;

/** A daemon on which the commands of a person are tried who is logged in as its owner. */
export class Operated {
  readonly world: CliWorld;
  readonly folder: string;
  served: Served;
  client: BatonClient;

  constructor(world: CliWorld, folder: string, served: Served, token: string) {
    this.world = world;
    this.folder = folder;
    this.served = served;
    this.client = new BatonClient({ url: served.url, token });
    onTestFinished(() => this.client.close());
  }

  /** Runs the real command to its end. */
  baton(...args: string[]): Promise<Finished> {
    return this.world.call({ args });
  }

  /** Runs the real command, which must succeed, and gives what it printed. */
  async ok(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.baton(...args);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  }

  /** Begins a session with a first prompt. */
  async begin(prompt: string | object[], task: Partial<NewTask> = {}): Promise<TaskRecord> {
    const { cwd } = this.world;
    const { session_id } = await this.client.sessions.create({ cwd, backend: 'demo' });
    return this.ask(session_id, prompt, task);
  }

  /** Puts a prompt into the queue of a session. */
  ask(id: string, prompt: string | object[], task: Partial<NewTask> = {}): Promise<TaskRecord> {
    const text = typeof prompt === 'string' ? prompt : `demo:script ${JSON.stringify(prompt)}`;
    return this.client.sessions.executeTask(id, { prompt: text, ...task });
  }

  /** Waits until a task has ended. */
  async ended({ task_id }: TaskRecord): Promise<TaskRecord> {
    return vi.waitFor(async () => {
      const task = await this.client.tasks.get(task_id);
      expect(task.completed_at).not.toBeNull();
      return task;
    }, PATIENCE_MS);
  }

  /** Waits until so many requests wait for a person. */
  async inbox(count = 1): Promise<PendingRecord[]> {
    return vi.waitFor(async () => {
      const { data } = await this.client.permissions.find();
      expect(data).toHaveLength(count);
      return data;
    }, PATIENCE_MS);
  }

  /** Waits until the agent of a session has said something. */
  async said({ session_id }: TaskRecord, type = 'text'): Promise<void> {
    await vi.waitFor(async () => {
      const { data } = await this.client.messages.find({ session_id });
      expect(data.map((each) => each.type)).toContain(type);
    }, PATIENCE_MS);
  }
}

/** Starts a daemon in the home of a new world, and logs in there as a person does. */
export async function operated(): Promise<Operated> {
  const world = new CliWorld();
  const folder = join(world.home, '.baton/daemon');
  const served = await serveIn(folder);
  const { code, stderr } = await world.call({ args: ['login', linkOf(served)] });
  expect([code, stderr]).toEqual([0, '']);
  return new Operated(world, folder, served, tokenIn(world, served.url));
}

/** The one-time link that a daemon printed. */
export function linkOf({ url, secret }: Served): string {
  return `${url}/#link=${secret}`;
}

/** The login that the world keeps for a daemon. */
export function tokenIn(world: CliWorld, url: string): string {
  return JSON.parse(readFileSync(join(world.home, '.baton/credentials.json'), 'utf8'))[url].token;
}
