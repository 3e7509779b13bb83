import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { retryWhileUnreachable } from '@baton/client';
import type { PermissionMode } from '@baton/protocol';
import type { ChaosWorld } from './world/chaos-world.ts';

/** A task of a round. */
export type ChaosTask = {
  taskId: string;
  sessionId: string;
  /** File in which its agent records its text. */
  ledger: string;
  /** Expected text of its agent, including thinking. */
  words: string;
};

const SESSIONS = 20;
/** For faults that need a session without a task. */
const IDLE_SESSIONS = 4;
/** One in this many sessions gets further prompts, or asks the user. */
const FURTHER_PROMPTS_EVERY = 5;
const ASKS_EVERY = 7;
const WORDS = 20;
const KEPT_MS = 3000;

export const MOST_AT_ONCE = SESSIONS + IDLE_SESSIONS;

/** Turns on keeping agents ready for the next prompt of their session. */
export async function keepAgents({ client }: ChaosWorld): Promise<void> {
  const args = ['executors.keep_open_ms', { value: KEPT_MS }];
  await client.connection.call('settings', 'patch', args);
}

/** Begins many sessions whose agents talk for a while. */
export async function startTasks(world: ChaosWorld): Promise<ChaosTask[]> {
  const tasks: ChaosTask[] = [];
  for (let n = 0; n < SESSIONS; n += 1) {
    const sessionId = await newSession(world);
    const prompts = n % FURTHER_PROMPTS_EVERY === 0 ? 3 : 1;
    for (let each = 0; each < prompts; each += 1) {
      const permissionMode = n % ASKS_EVERY === 0 ? 'ask' : 'allow-all';
      tasks.push(await startTask(world, sessionId, { number: tasks.length, permissionMode }));
    }
  }
  return tasks;
}

/** Creates sessions without tasks. */
export async function idleSessions(world: ChaosWorld): Promise<string[]> {
  return Promise.all(Array.from({ length: IDLE_SESSIONS }, () => newSession(world)));
}

export type TaskOptions = { number: number | string; permissionMode: PermissionMode };

/** Queues a task, as often as the daemon has to be asked for that; it is queued once. */
export async function startTask(
  world: ChaosWorld,
  sessionId: string,
  { number, permissionMode }: TaskOptions,
): Promise<ChaosTask> {
  const ledger = join(world.folder, 'ledgers', `${number}`);
  const { thought, before, after } = wordsOf(number);
  const script = [
    { ledger },
    { think: thought },
    { say: before },
    { shell: `echo tool ${number}` },
    { say: after },
  ];
  const prompt = `demo:script ${JSON.stringify(script)}`;
  const taskId = randomUUID();
  const task = { prompt, permission_mode: permissionMode, task_id: taskId };
  await retryWhileUnreachable(
    () => world.client.sessions.executeTask(sessionId, task),
    world.client.connection.closed,
  );
  return { taskId, sessionId, ledger, words: thought + before + after };
}

async function newSession({ client, folder }: ChaosWorld): Promise<string> {
  return (await client.sessions.create({ cwd: folder, backend: 'demo' })).session_id;
}

/** Allows every request of an agent, until the signal aborts. */
export async function answerEverything(world: ChaosWorld, enough: AbortSignal): Promise<void> {
  while (!enough.aborted) {
    const { data } = await world.client.permissions.find().catch(() => ({ data: [] }));
    for (const { session_id, task_id, request_id } of data) {
      const answer = { decision: 'allow' as const };
      await world.client.permissions
        .answer({ session_id, task_id, request_id, answer })
        // It is asked for again as long as it waits.
        .catch(() => {});
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function wordsOf(number: number | string): { thought: string; before: string; after: string } {
  const words = (from: string) =>
    Array.from({ length: WORDS }, (_, n) => `${from}${number}.${n}`).join(' ');
  return { thought: words('thought-'), before: words('grüß-'), after: words('word-') };
}
