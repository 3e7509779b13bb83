import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { BatonClient } from '@baton/client';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { isRunning } from '../packages/cli/src/testing/baton.ts';
import { addressIn, login } from '../packages/cli/src/testing/served.ts';

const SERVE = [process.execPath, inject('baton'), 'serve'];
const NPM_START = ['npm', 'start', '--'];
const IN_TERMINAL = ['script', '-qec'];
const MARK = 'BATON_TEST_MARK';

/** Everything that runs in a home of its own, over several starts of the daemon. */
class World {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'baton-stop-')));
  readonly cwd = join(this.home, 'project');
  child: ChildProcess | undefined;
  client = new BatonClient({ url: 'http://127.0.0.1:1' });
  #token = '';
  #port = 0;
  #words = '';

  constructor() {
    mkdirSync(this.cwd);
    onTestFinished(() => {
      this.client.close();
      for (const pid of this.processes()) kill(pid, 'SIGKILL');
      rmSync(this.home, { recursive: true, force: true, maxRetries: 10 });
    });
  }

  /** Starts the daemon, on the same port as before: executors that live on know no other. */
  async start(command: readonly string[], ...more: string[]): Promise<void> {
    const { npm_lifecycle_event: _event, ...env } = process.env;
    const own = ['--folder', join(this.home, 'state'), '--port', `${this.#port}`, ...more];
    const [file = '', ...args] =
      command[0] === 'script'
        ? [...IN_TERMINAL, quoted([...command.slice(2), ...own])]
        : [...command, ...own];
    this.#words = '';
    const child = spawn(file, command[0] === 'script' ? [...args, '/dev/null'] : args, {
      cwd: join(import.meta.dirname, '..'),
      env: { ...env, HOME: this.home, BATON_DEMO_PACE: '0', [MARK]: basename(this.home) },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A process group of its own, as a shell makes one.
      detached: true,
    });
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.#words += text;
      });
    }
    await this.until(/Baton is ready at (\S+)/);
    const { url, secret } = addressIn(this.#words);
    this.#port = Number(new URL(url).port);
    if (secret) this.#token = await login({ url, secret });
    this.client.close();
    this.client = new BatonClient({ url, token: this.#token });
  }

  async until(words: RegExp): Promise<void> {
    await vi.waitFor(() => expect(this.#words).toMatch(words));
  }

  /** The daemon itself, whatever started it. */
  get daemon(): number {
    const file = join(this.home, 'state/daemon.json');
    return (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid;
  }

  /** All processes of this world that have not exited. */
  processes(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && isRunning(name) && this.#isOurs(name))
      .map(Number);
  }

  #isOurs(pid: string): boolean {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(
        `${MARK}=${basename(this.home)}\0`,
      );
    } catch {
      return false;
    }
  }

  async prompt(steps: unknown[], session?: string): Promise<{ task: string; session: string }> {
    const session_id =
      session ?? (await this.client.sessions.create({ cwd: this.cwd, backend: 'demo' })).session_id;
    const { task_id } = await this.client.sessions.executeTask(session_id, {
      prompt: `demo:script ${JSON.stringify(steps)}`,
    });
    return { task: task_id, session: session_id };
  }

  async untilStatus(task: string, status: string): Promise<void> {
    await vi.waitFor(async () =>
      expect(await this.client.tasks.get(task)).toMatchObject({ status }),
    );
  }

  ran(): string[] {
    const file = join(this.cwd, 'ran');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').sort() : [];
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

type Tasks = Record<'running' | 'permission' | 'question' | 'queued', string>;

/** One task in each state: at work, awaiting permission, awaiting an answer, queued behind the first. */
async function begin(world: World): Promise<Tasks> {
  const { client } = world;
  const work = { shell: 'until test -e go; do sleep 0.05; done; echo running >> ran' };
  const running = await world.prompt([{ say: 'Before. ' }, work, { say: 'After.' }]);
  await vi.waitFor(async () => expect((await client.permissions.find()).data).toHaveLength(1));
  const [request] = (await client.permissions.find()).data;
  await client.permissions.answer({
    session_id: running.session,
    task_id: running.task,
    request_id: request?.request_id ?? '',
    answer: { decision: 'allow' },
  });
  await world.untilStatus(running.task, 'RUNNING');
  const queued = await world.prompt([{ say: 'Later.' }], running.session);
  const permission = await world.prompt([
    { say: 'May I? ' },
    { shell: 'echo permission >> ran' },
    { say: 'Thanks.' },
  ]);
  const question = await world.prompt([
    { question: { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] } },
  ]);
  await vi.waitFor(async () =>
    expect((await client.permissions.find()).data.filter(isPending)).toHaveLength(2),
  );
  return {
    running: running.task,
    queued: queued.task,
    permission: permission.task,
    question: question.task,
  };
}

const isPending = ({ status }: { status: string }) => status === 'pending';

/** Answers what waits, and lets the running command end. */
async function finish(world: World, tasks: Tasks): Promise<void> {
  const { client } = world;
  const { data } = await client.permissions.find();
  const pending = data.filter(isPending);
  expect(pending.map(({ task_id }) => task_id).sort()).toEqual(
    [tasks.permission, tasks.question].sort(),
  );
  for (const { session_id, task_id, request_id, kind } of pending) {
    const answer =
      kind === 'permission' ? { decision: 'allow' as const } : { answers: { q1: ['Tea'] } };
    const { receipt } = await client.permissions.answer({
      session_id,
      task_id,
      request_id,
      answer,
    });
    expect(receipt).toBe('accepted');
  }
  writeFileSync(join(world.cwd, 'go'), '');
}

async function expectOnce(world: World, tasks: Tasks): Promise<void> {
  const answered = await world.client.tasks.get(tasks.permission);
  expect(answered).toMatchObject({ output: expect.stringContaining('Thanks.') });
  const { output } = await world.client.tasks.get(tasks.question);
  expect(output).toContain('You chose: Tea.');
  for (const id of Object.values(tasks)) {
    const { session_id } = await world.client.tasks.get(id);
    const { events } = await world.client.events.find({ session_id, after: 0, limit: 1000 });
    const seqs = events.flatMap((event) =>
      'seq' in event && event.taskId === id ? [event.seq] : [],
    );
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    const ends = events.filter((event) => event.type === 'run.completed' && event.taskId === id);
    expect(ends).toHaveLength(1);
  }
}

type Stop = (world: World) => Promise<void>;

const toDaemon =
  (signal: NodeJS.Signals): Stop =>
  async (world) => {
    const gone = once(world.child as ChildProcess, 'exit');
    kill(world.daemon, signal);
    await gone;
  };

const toGroup =
  (signal: NodeJS.Signals): Stop =>
  async (world) => {
    const gone = once(world.child as ChildProcess, 'exit');
    kill(-(world.child?.pid ?? 0), signal);
    await gone;
  };

const toChild =
  (signal: NodeJS.Signals): Stop =>
  async (world) => {
    const { daemon } = world;
    const gone = once(world.child as ChildProcess, 'exit');
    world.child?.kill(signal);
    await gone;
    await vi.waitFor(() => expect(isRunning(daemon)).toBe(false));
  };

/** As a service manager does with all processes of a service. */
const toAll =
  (signal: NodeJS.Signals): Stop =>
  async (world) => {
    for (const pid of world.processes()) kill(pid, signal);
    await vi.waitFor(() => expect(world.processes()).toEqual([]));
  };

/** To the first process of a container, which knows itself by another number. */
function inContainer(signal: NodeJS.Signals): Stop {
  return async (world) => {
    const gone = once(world.child as ChildProcess, 'exit');
    const { pid = 0 } = world.child ?? {};
    const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    kill(Number(first), signal);
    await gone;
    await vi.waitFor(() => expect(world.processes()).toEqual([]));
  };
}

const pressed =
  (...waits: RegExp[]): Stop =>
  async (world) => {
    const gone = once(world.child as ChildProcess, 'exit');
    world.child?.stdin?.write('\x03');
    for (const words of waits) {
      await world.until(words);
      world.child?.stdin?.write('\x03');
    }
    await gone;
  };

const terminal = (command: readonly string[]) => [...IN_TERMINAL, ...command];

test.each<[string, readonly string[], Stop]>([
  ['SIGINT', SERVE, toDaemon('SIGINT')],
  ['SIGTERM', SERVE, toDaemon('SIGTERM')],
  ['SIGHUP', SERVE, toDaemon('SIGHUP')],
  ['SIGKILL', SERVE, toDaemon('SIGKILL')],
  ['Ctrl-C to its process group', SERVE, toGroup('SIGINT')],
  ['Ctrl-C at a terminal', terminal(SERVE), pressed()],
  ['its terminal is closed', terminal(SERVE), toChild('SIGKILL')],
  ['npm start: Ctrl-C', terminal(NPM_START), pressed()],
  ['npm start: its terminal is closed', terminal(NPM_START), toChild('SIGKILL')],
  ['npm start: SIGTERM to npm', NPM_START, toChild('SIGTERM')],
  ['npm start: SIGKILL to npm', NPM_START, toChild('SIGKILL')],
])('%s: all tasks are kept, and end after the next start', async (_name, command, stop) => {
  const world = new World();
  await world.start(command);
  const tasks = await begin(world);
  await stop(world);
  await world.start(command);
  await finish(world, tasks);
  for (const task of Object.values(tasks)) await world.untilStatus(task, 'COMPLETED');
  expect(world.ran()).toEqual(['permission', 'running']);
  await expectOnce(world, tasks);
});

/** A container: the daemon is its first process, and everything in it ends with that. */
const NAMESPACES = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--uts', '--'];
const CONTAINER = (name: string) => [
  ...['unshare', ...NAMESPACES],
  ...['sh', '-c', `hostname ${name} && exec "$@"`, 'sh', ...SERVE],
];

test.for<[string, readonly string[], readonly string[], Stop]>([
  ['a service is stopped with all its processes', SERVE, SERVE, toAll('SIGTERM')],
  ['the machine loses power', SERVE, SERVE, toAll('SIGKILL')],
  ['a container is stopped', CONTAINER('first'), CONTAINER('second'), inContainer('SIGTERM')],
])('%s: work is interrupted, requests stay open and resume the agent', async (row, context) => {
  const [, before, after, stop] = row;
  const isContainer = before !== SERVE;
  if (isContainer && spawnSync('unshare', [...NAMESPACES, 'true']).status !== 0) {
    context.skip('this machine lets no program make namespaces');
  }
  const world = new World();
  await world.start(before);
  const tasks = await begin(world);
  await stop(world);
  await world.start(after);
  await world.untilStatus(tasks.running, 'FAILED');
  expect((await world.client.tasks.get(tasks.running)).error).toMatchObject({
    code: 'interrupted',
  });
  await vi.waitFor(async () => {
    const { status, executor_id } = await world.client.tasks.get(tasks.permission);
    expect({ status, executor_id }).toEqual({ status: 'AWAITING_PERMISSION', executor_id: null });
  });
  await finish(world, tasks);
  for (const task of [tasks.permission, tasks.question, tasks.queued]) {
    await world.untilStatus(task, 'COMPLETED');
  }
  expect(world.ran()).toEqual(['permission']);
  await expectOnce(world, tasks);
});

test.each<[string, readonly string[], readonly string[], Stop]>([
  ['--stop-tasks and SIGTERM', SERVE, ['--stop-tasks'], toDaemon('SIGTERM')],
  ['Ctrl-C twice at a terminal', terminal(SERVE), [], pressed(/Press Ctrl-C again/)],
  ['npm start: Ctrl-C twice', terminal(NPM_START), [], pressed(/Press Ctrl-C again/)],
])('%s: running tasks are stopped, queued ones are kept', async (_name, command, flags, stop) => {
  const world = new World();
  await world.start(command, ...flags);
  const tasks = await begin(world);
  await stop(world);
  expect(world.processes()).toEqual([]);
  await world.start(command, ...flags);
  for (const task of [tasks.running, tasks.permission, tasks.question]) {
    await world.untilStatus(task, 'CANCELLED');
  }
  await world.untilStatus(tasks.queued, 'COMPLETED');
  expect(world.ran()).toEqual([]);
  expect((await world.client.permissions.find()).data.filter(isPending)).toEqual([]);
});
