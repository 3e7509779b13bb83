import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BatonClient } from '@baton/client';
import { type ChainEvent, foldChain } from '@baton/protocol';
import { openStore, type Store } from '@baton/store';
import { afterEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { seeded } from '../bench/measure/random.ts';
import { login, serveIn } from '../packages/cli/src/testing/served.ts';

const SEED = Number(process.env.BATON_CHAOS_SEED ?? 1);
/** At most 50, half of them without a daemon. */
const ROUNDS = Math.min(50, Number(process.env.BATON_CHAOS_ROUNDS ?? 10));
const MOST_KILLS = 3;
const LONGEST_MS = 3000;

const random = seeded(SEED);
const plans = Array.from({ length: ROUNDS }, (_, index) => ({
  name: `round ${index + 1} of seed ${SEED}`,
  withDaemon: index % 2 === 1,
  /** After how many milliseconds each process is killed. */
  kills: Array.from({ length: 1 + Math.floor(random() * MOST_KILLS) }, () =>
    Math.floor(200 + random() * LONGEST_MS),
  ),
}));

const LEAVES = ['a', 'all/b', 'all/c', 'all/d', 'each#1/e', 'each#2/e', 'f'];

/** Each step records that it runs. An interrupted step may run again; a finished one must not. */
function chainsFile(): object {
  const step = (id: string, path = id) => ({
    id,
    agent: 'demo',
    prompt: `demo:script [{"shell": "echo ${path} >> ran; sleep 0.2"}, {"say": "${path}"}]`,
  });
  return {
    agents: {
      demo: { backend: 'demo', permissionMode: 'allow-all', providerOptions: { pace: 0 } },
    },
    chains: {
      all: {
        steps: [
          step('a'),
          { id: 'all', parallel: ['b', 'c', 'd'].map((id) => step(id, `all/${id}`)) },
          { id: 'each', forEach: [1, 2], steps: [step('e', 'each#{{item}}/e')] },
          step('f'),
        ],
      },
    },
  };
}

let folders: string[] = [];
afterEach(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders = [];
});

function world(): { home: string; cwd: string; file: string } {
  const home = mkdtempSync(join(tmpdir(), 'chain-chaos-'));
  folders.push(home);
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  const file = join(cwd, 'chains.json');
  writeFileSync(file, JSON.stringify(chainsFile()));
  return { home, cwd, file };
}

/** Counts the runs of each step so far. */
function ranIn(cwd: string): Record<string, number> {
  const path = join(cwd, 'ran');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  const counts: Record<string, number> = {};
  for (const line of lines) counts[line] = (counts[line] ?? 0) + 1;
  return counts;
}

function doneIn(events: readonly ChainEvent[]): string[] {
  return [...foldChain(events).steps.values()]
    .filter(({ status, taskId }) => status === 'done' && taskId)
    .map(({ step }) => step);
}

/** Run counts of the steps that had ended before a kill, which the kill must not change. */
type Finished = { step: string; ran: number }[];

function finishedIn(cwd: string, events: readonly ChainEvent[]): Finished {
  const ran = ranIn(cwd);
  return doneIn(events).map((step) => ({ step, ran: ran[step] ?? 0 }));
}

async function checkEnd(
  cwd: string,
  finished: readonly Finished[],
  events: readonly ChainEvent[],
  store: Store,
): Promise<void> {
  expect(doneIn(events).sort()).toEqual(LEAVES);
  const ran = ranIn(cwd);
  for (const { step, ran: before } of finished.flat()) {
    expect([step, ran[step] ?? 0]).toEqual([step, before]);
  }
  const ends = events.filter(({ type }) => type === 'step.completed');
  expect(new Set(ends.map((event) => 'step' in event && event.step)).size).toBe(ends.length);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  // The totals of the chain are those of all its tasks, interrupted ones included.
  const tasks = await store.records.tasks.find();
  const tokens = tasks.reduce((sum, { usage }) => {
    return sum + (usage === null ? 0 : (JSON.parse(usage).inputTokens ?? 0));
  }, 0);
  const [run] = await store.records.chainRuns.find();
  expect(run?.input_tokens).toBe(tokens);
  expect(foldChain(events).usage?.inputTokens).toBe(tokens);
}

async function killAfter(child: ChildProcess, milliseconds: number): Promise<boolean> {
  const gone = once(child, 'exit');
  const over = new AbortController();
  const isFirst = await Promise.race([
    gone.then(() => false),
    pause(milliseconds, true, { signal: over.signal }).catch(() => false),
  ]);
  over.abort();
  if (isFirst) child.kill('SIGKILL');
  await gone;
  return isFirst;
}

async function playLocally(kills: readonly number[]): Promise<void> {
  const { home, cwd } = world();
  const env = { ...process.env, HOME: home, BATON_DEMO_PACE: '0' };
  const baton = (...args: string[]) =>
    spawn(process.execPath, [inject('baton'), 'chain', ...args], { cwd, env, stdio: 'ignore' });
  const finished: Finished[] = [];
  const database = join(home, '.baton/chains.db');
  const stored = async () => {
    if (!existsSync(database)) return [];
    const store = await openStore({ url: database });
    const [run] = await store.records.chainRuns.find();
    const events = run ? await store.chainRuns.read(run.run_id) : [];
    await store.close();
    return events;
  };
  const resume = async () => {
    const events = await stored();
    if (events.length === 0) return baton('run', 'all', '--trust');
    const { error } = foldChain(events);
    if (!error) return baton('resume', 'last');
    // An agent that was killed before it named its session cannot continue: the user says what to do.
    expect(error.code).toBe('interrupted');
    return baton('resume', 'last', '--restart');
  };
  const isDone = async () => foldChain(await stored()).outcome === 'done';
  for (const milliseconds of kills) {
    if (await isDone()) break;
    await killAfter(await resume(), milliseconds);
    finished.push(finishedIn(cwd, await stored()));
  }
  while (!(await isDone())) await once(await resume(), 'exit');
  const store = await openStore({ url: database });
  try {
    await checkEnd(cwd, finished, await stored(), store);
  } finally {
    await store.close();
  }
}

async function playWithDaemon(kills: readonly number[]): Promise<void> {
  const { home, cwd, file } = world();
  const folder = join(home, 'daemon');
  let served = await serveIn(folder);
  const client = new BatonClient({ url: served.url, token: await login(served) });
  onTestFinished(() => client.close());
  const [known] = await client.chains.find({ cwd });
  await client.chains.trust({ file, hash: known?.hash ?? '' });
  const { chain_run_id: id } = await client.chainRuns.create({ file, chain: 'all', cwd });
  const finished: Finished[] = [];
  const database = join(folder, 'baton.db');
  for (const milliseconds of kills) {
    await killAfter(served.child, milliseconds);
    const store = await openStore({ url: database });
    finished.push(finishedIn(cwd, await store.chainRuns.read(id)));
    await store.close();
    served = await serveIn(folder, Number(new URL(served.url).port));
  }
  const events: ChainEvent[] = [];
  for await (const event of client.chainRuns.follow(id)) {
    events.push(event);
    if (event.type === 'chain.completed') break;
  }
  expect(events.at(-1)).toMatchObject({ outcome: 'done' });
  const gone = once(served.child, 'exit');
  served.child.kill('SIGTERM');
  await gone;
  const store = await openStore({ url: database });
  try {
    await checkEnd(cwd, finished, events, store);
  } finally {
    await store.close();
  }
}

describe('a chain whose process is killed repeats no finished step and loses none', () => {
  for (const { name, withDaemon, kills } of plans) {
    const how = withDaemon ? 'the daemon' : 'the command';
    test(`${name}: ${how} is killed ${kills.length} times`, async () => {
      await (withDaemon ? playWithDaemon : playLocally)(kills);
    }, 300_000);
  }
});
