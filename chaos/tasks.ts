import { join } from 'node:path';
import type { ChaosWorld } from './world/chaos-world.ts';

/** A task of a round. */
export type ChaosTask = {
  taskId: string;
  sessionId: string;
  /** Where its agent writes down what it says. */
  ledger: string;
  /** Everything that its agent has to say, thoughts too. */
  words: string;
};

const SESSIONS = 20;
/** Every so many sessions there is one that gets a second prompt, or that asks a person. */
const SECOND_PROMPT_EVERY = 5;
const ASKS_EVERY = 7;
const WORDS = 20;
const KEPT_MS = 3000;

export const MOST_AT_ONCE = SESSIONS;

/** Lets agents be kept ready for the next prompt of their session. */
export async function keepAgents({ client }: ChaosWorld): Promise<void> {
  const args = ['executors.keep_open_ms', { value: KEPT_MS }];
  await client.connection.call('settings', 'patch', args);
}

/** Begins many sessions whose agents talk for a while. */
export async function startTasks(world: ChaosWorld): Promise<ChaosTask[]> {
  const tasks: ChaosTask[] = [];
  for (let n = 0; n < SESSIONS; n += 1) {
    const session = { cwd: world.folder, backend: 'demo' };
    const { session_id } = await world.client.sessions.create(session);
    const prompts = n % SECOND_PROMPT_EVERY === 0 ? 2 : 1;
    for (let each = 0; each < prompts; each += 1) {
      const ledger = join(world.folder, 'ledgers', `${tasks.length}`);
      const { thought, before, after } = wordsOf(tasks.length);
      const script = [
        { ledger },
        { think: thought },
        { say: before },
        { shell: `echo tool ${tasks.length}` },
        { say: after },
      ];
      const { task_id } = await world.client.sessions.executeTask(session_id, {
        prompt: `demo:script ${JSON.stringify(script)}`,
        permissionMode: n % ASKS_EVERY === 0 ? 'ask' : 'allow-all',
      });
      const words = thought + before + after;
      tasks.push({ taskId: task_id, sessionId: session_id, ledger, words });
    }
  }
  return tasks;
}

/** Allows whatever an agent asks for, until the signal says that it is enough. */
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

function wordsOf(number: number): { thought: string; before: string; after: string } {
  const words = (from: string) =>
    Array.from({ length: WORDS }, (_, n) => `${from}${number}.${n}`).join(' ');
  return { thought: words('thought-'), before: words('grüß-'), after: words('word-') };
}
