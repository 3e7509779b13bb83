import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatonClient, type NewTask, type PendingRecord } from '@baton/client';
import { startDaemon } from '@baton/daemon';
import type { TaskRecord } from '@baton/protocol';
import { expect, inject, onTestFinished, vi } from 'vitest';
import { writeDaemonFile } from '../remote/daemon-file.ts';
import { CliWorld, type Finished } from './baton.ts';
import { login, ownerOf, type Served, serveIn } from './served.ts';

const PATIENCE_MS = 20_000;

type Env = Readonly<Record<string, string>>;

/**
 * Starts a daemon for the home of a new world, where its owner is logged in. It is in the process of the tests, where it
 * starts several times as fast as `baton serve`.
 */
export async function operated() {
  const world = new CliWorld();
  const folder = folderIn(world);
  const command = {
    file: '/usr/bin/env',
    args: ['BATON_DEMO_PACE=0', process.execPath, inject('baton'), 'executor'],
  };
  const daemon = await startDaemon({ folder, port: 0, executors: { command } });
  const removeFile = writeDaemonFile(folder, daemon.url);
  onTestFinished(async () => {
    removeFile();
    await daemon.close();
  });
  return { folder, ...operate(world, daemon.url, await ownerOf(daemon)) };
}

/** The same with `baton serve`, for tests that kill it or set its environment. */
export async function operatedApart(env: Env | ((world: CliWorld) => Env) = {}) {
  const world = new CliWorld();
  const folder = folderIn(world);
  const served = await serveIn(folder, 0, [], typeof env === 'function' ? env(world) : env);
  return { folder, served, ...operate(world, served.url, await login(served)) };
}

export type Operated = ReturnType<typeof operate>;

/** The one-time link that a daemon printed. */
export function linkOf({ url, secret }: Served): string {
  return `${url}/#link=${secret}`;
}

/** The login that a world keeps for a daemon. */
export function tokenIn(world: CliWorld, url: string): string {
  return JSON.parse(readFileSync(join(world.home, '.baton/credentials.json'), 'utf8'))[url].token;
}

function folderIn({ home }: CliWorld): string {
  return join(home, '.baton/daemon');
}

function operate(world: CliWorld, url: string, token: string) {
  const kept = JSON.stringify({ [url]: { token } });
  writeFileSync(join(world.home, '.baton/credentials.json'), kept, { mode: 0o600 });
  const client = new BatonClient({ url, token });
  onTestFinished(() => client.close());
  return { world, url, client, ...commandsIn(world), ...wishesOf(client, world.cwd) };
}

function commandsIn(world: CliWorld) {
  /** Runs the real command to its end. */
  const baton = (...args: string[]): Promise<Finished> => world.call({ args });
  /** Runs the real command, which must succeed, and gives what it printed. */
  const ok = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await baton(...args);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };
  return { baton, ok };
}

type Wish = string | object[];

function wishesOf(client: BatonClient, cwd: string) {
  /** Puts a prompt into the queue of a session. */
  const ask = (id: string, wish: Wish, task: Partial<NewTask> = {}): Promise<TaskRecord> => {
    const prompt = typeof wish === 'string' ? wish : `demo:script ${JSON.stringify(wish)}`;
    return client.sessions.executeTask(id, { prompt, ...task });
  };
  /** Begins a session with a first prompt. */
  const begin = async (wish: Wish, task: Partial<NewTask> = {}): Promise<TaskRecord> => {
    const { session_id } = await client.sessions.create({ cwd, backend: 'demo' });
    return ask(session_id, wish, task);
  };
  /** Waits until a task has ended. */
  const ended = ({ task_id }: TaskRecord): Promise<TaskRecord> =>
    vi.waitFor(async () => {
      const task = await client.tasks.get(task_id);
      expect(task.completed_at).not.toBeNull();
      return task;
    }, PATIENCE_MS);
  /** Waits until this many requests are pending. */
  const inbox = (count = 1): Promise<PendingRecord[]> =>
    vi.waitFor(async () => {
      const { data } = await client.permissions.find();
      expect(data).toHaveLength(count);
      return data;
    }, PATIENCE_MS);
  /** Waits until a session has an entry of some kind. */
  const has = ({ session_id }: TaskRecord, type: string): Promise<void> =>
    vi.waitFor(async () => {
      const { data } = await client.messages.find({ session_id });
      expect(data.map((each) => each.type)).toContain(type);
    }, PATIENCE_MS);
  return { ask, begin, ended, inbox, has };
}
