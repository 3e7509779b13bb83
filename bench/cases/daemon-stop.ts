import { once } from 'node:events';
import { BatonClient } from '@baton/client';
import type { Benchmark, Context, Finding } from '../benchmark.ts';
import { slowest } from '../measure/slowest.ts';
import { scratchFolder } from '../world/leave-nothing.ts';
import { Served } from '../world/served.ts';

const STOPS = 20;
const QUICK_STOPS = 3;
const SERVE_LIMIT_MS = 1000;
const FROZEN_LIMIT_MS = 3000;
/** Prompts that follow each other at once, in each session. */
const PROMPTS = 4;
const SESSIONS = 3;
const KEPT_MS = 600_000;

/** Stop time of a daemon, and of a task whose executor does not respond. */
export const daemonStop: Benchmark[] = [
  {
    name: 'serve-stop',
    claim: `\`baton serve\` with nothing running stops within ${SERVE_LIMIT_MS / 1000} s of SIGTERM`,
    async run(context) {
      const facts = { unit: 'ms', limit: SERVE_LIMIT_MS, bound: 'at most' } as const;
      const ready = `${SESSIONS} warm agents after ${PROMPTS} prompts each`;
      return [
        slowest({ ...facts, what: 'idle' }, await often(context, () => stopServe(async () => {}))),
        slowest({ ...facts, what: ready }, await often(context, () => stopServe(keepAgents))),
      ];
    },
  },
  {
    name: 'stop-frozen',
    claim: `a task whose executor is frozen is stopped within ${FROZEN_LIMIT_MS / 1000} s, with its agent`,
    async run(context): Promise<Finding[]> {
      const facts = { unit: 'ms', limit: FROZEN_LIMIT_MS, bound: 'at most' } as const;
      return [slowest({ ...facts, what: 'SIGSTOP' }, await often(context, stopFrozen))];
    },
  },
];

async function often(
  { quick, say }: Context,
  measure: () => Promise<number>,
): Promise<readonly number[]> {
  // The first command in a home keeps its compiled code when it ends, and no later one does.
  await measure();
  const times: number[] = [];
  while (times.length < (quick ? QUICK_STOPS : STOPS)) {
    times.push(await measure());
    say(`${times.length} stops`);
  }
  return times;
}

/** Starts a daemon, prepares it, and returns the time it takes to stop. */
async function stopServe(prepare: (client: BatonClient) => Promise<void>): Promise<number> {
  const { child, client } = await served();
  await prepare(client);
  client.close();
  const exited = once(child, 'exit');
  const begin = performance.now();
  child.kill('SIGTERM');
  await exited;
  return performance.now() - begin;
}

async function keepAgents(client: BatonClient): Promise<void> {
  await client.connection.call('settings', 'patch', ['executors.keep_open_ms', { value: KEPT_MS }]);
  const prompts = Array.from({ length: SESSIONS }, async () => {
    const session = await client.sessions.create({ cwd: scratchFolder(), backend: 'demo' });
    for (let n = 0; n < PROMPTS; n += 1) {
      await client.sessions.executeTask(session.session_id, {
        prompt: 'demo:script [{"say":"Hello."}]',
      });
    }
    let ended = 0;
    for await (const event of client.follow(session.session_id)) {
      if (event.type !== 'run.completed') continue;
      if (event.outcome !== 'done') throw new Error(`A prompt failed: ${event.error?.message}`);
      ended += 1;
      if (ended === PROMPTS) break;
    }
  });
  await Promise.all(prompts);
}

/** Freezes the executor of a task, and returns the time that a stop of the task takes. */
async function stopFrozen(): Promise<number> {
  const { child, client } = await served();
  const session = await client.sessions.create({ cwd: scratchFolder(), backend: 'demo' });
  const { session_id: id } = session;
  const { task_id: taskId } = await client.sessions.executeTask(id, { prompt: 'demo:stall' });
  let requestedAt = 0;
  for await (const { type } of client.follow(id)) {
    if (type === 'message.completed') {
      const [executor] = await client.executors.find();
      process.kill(executor?.pid ?? 0, 'SIGSTOP');
      requestedAt = performance.now();
      await client.sessions.stopTask(id, { task_id: taskId });
    }
    if (type === 'run.completed') break;
  }
  const took = performance.now() - requestedAt;
  if (requestedAt === 0) throw new Error('The task ended before it could be stopped.');
  client.close();
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
  return took;
}

let home: string | undefined;

async function served() {
  // The settings of the current user must have no effect.
  home ??= scratchFolder();
  const env = { ...process.env, HOME: home, BATON_DEMO_PACE: '0' };
  const { child, url, secret } = await new Served().start(scratchFolder(), env);
  const stranger = new BatonClient({ url });
  const { accessToken: token } = await stranger.authentication.withLink(secret);
  stranger.close();
  return { child, client: new BatonClient({ url, token }) };
}
