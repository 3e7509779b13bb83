import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { BatonClient } from '@baton/client';
import { type ChainEvent, chainEventSchema, foldChain } from '@baton/protocol';
import { openStore } from '@baton/store';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CliWorld } from '../packages/cli/src/testing/baton.ts';
import { operated, operatedApart } from '../packages/cli/src/testing/operated.ts';
import { serveIn } from '../packages/cli/src/testing/served.ts';

const WAIT = { timeout: 20_000 };

/** A prompt that makes the demo agent do some steps. */
const script = (...steps: object[]) => `demo:script ${JSON.stringify(steps)}`;
const step = (id: string, prompt: string, more: object = {}) => ({
  id,
  agent: 'demo',
  prompt,
  ...more,
});

/** Every kind of step. */
const EVERY_KIND = [
  step('plan', script({ say: 'a' })),
  { id: 'both', parallel: [step('one', script({ say: '1' })), step('two', script({ say: '2' }))] },
  {
    ...{ id: 'again', maxIterations: 3 },
    loop: [step('work', script({ say: 'Iteration {{iteration}}. ORCHESTRA_COMPLETE' }))],
  },
  { id: 'each', forEach: ['x', 'y'], steps: [step('item', script({ say: '{{item}}' }))] },
  step('never', script({ say: 'no' }), { if: { step: 'plan', outcome: 'failed' } }),
  step(
    'end',
    script({ say: '{{steps.both.structured.two.output}}{{steps.each.structured.1.output}}' }),
  ),
];

function writeChains(cwd: string, chains: Record<string, object[]>): void {
  const demo = {
    backend: 'demo',
    permissionMode: 'allow-all',
    providerOptions: { pace: 0 },
  };
  const all = Object.entries(chains).map(([name, steps]) => [name, { steps }]);
  const file = { agents: { demo }, chains: Object.fromEntries(all) };
  writeFileSync(join(cwd, 'chains.json'), JSON.stringify(file));
}

function eventsIn(stdout: string): ChainEvent[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => chainEventSchema.parse(JSON.parse(line)) as ChainEvent);
}

/** Events without what differs between two runs. Steps at the same time may end in any order. */
function comparable(events: readonly ChainEvent[]) {
  return events
    .map(({ seq: _seq, time: _time, ...event }) => {
      const {
        sessionId: _session,
        taskId: _task,
        by: _by,
        ...same
      } = event as Record<string, unknown>;
      return JSON.stringify(same);
    })
    .sort();
}

test('a chain has the same events in this process and through a daemon', async () => {
  const { world, baton, url } = await operated();
  writeChains(world.cwd, { all: EVERY_KIND });
  const run = ['chain', 'run', 'all', '--trust', '--json', '--cwd', world.cwd];
  const here = await baton(...run);
  expect([here.code, here.stderr]).toEqual([0, '']);
  const there = await baton(...run, '--daemon', url);
  expect([there.code, there.stderr]).toEqual([0, '']);
  expect(comparable(eventsIn(there.stdout))).toEqual(comparable(eventsIn(here.stdout)));
  const ends = eventsIn(here.stdout).filter((event) => event.type === 'step.completed');
  expect(ends.map(({ step: path, outcome }) => `${path} ${outcome}`).sort()).toEqual([
    'again done',
    'again#1/work done',
    'both done',
    'both/one done',
    'both/two done',
    'each done',
    'each#1/item done',
    'each#2/item done',
    'end done',
    'never skipped',
    'plan done',
  ]);
  expect(ends.find(({ step: path }) => path === 'end')?.output).toBe('2y');
}, 60_000);

test('in a pipe, a chain prints the output of its last step', async () => {
  const world = new CliWorld();
  writeChains(world.cwd, { all: EVERY_KIND });
  const args = ['chain', 'run', 'all', '--trust', '--cwd', world.cwd];
  const { code, stdout } = await world.call({ args });
  expect([code, stdout]).toEqual([0, '2y']);
});

test('a file that widens rights is refused until it is trusted, and asked about once', async () => {
  const world = new CliWorld();
  writeChains(world.cwd, { one: [step('a', script({ say: 'hi' }))] });
  const run = (...more: string[]) =>
    world.call({ args: ['chain', 'run', 'one', '--cwd', world.cwd, ...more] });
  const refused = await run();
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toMatch(/not trusted[\s\S]*a: .*allow-all[\s\S]*--trust/);
  expect((await run('--trust')).code).toBe(0);
  expect((await run()).code).toBe(0);
  writeChains(world.cwd, { one: [step('a', script({ say: 'other' }))] });
  expect((await run()).code).toBe(2);
});

test('an approval without a terminal exits with 5, and the run continues after it', async () => {
  const world = new CliWorld();
  const steps = [step('a', script({ say: 'A' })), { id: 'ok', approve: 'Go?' }];
  writeChains(world.cwd, { one: [...steps, step('b', script({ say: '{{previous.output}}' }))] });
  const baton = (...args: string[]) => world.call({ args: ['chain', ...args] });
  const first = await baton('run', 'one', '--trust', '--cwd', world.cwd);
  expect(first.code).toBe(5);
  expect(first.stderr).toContain('baton chain approve');
  const approved = await baton('approve', 'last', 'ok', '--comment', 'Fine.');
  expect([approved.code, approved.stderr]).toEqual([0, '']);
  const second = await baton('resume', 'last');
  expect([second.code, second.stdout]).toEqual([0, 'Fine.']);
  expect((await baton('resume', 'last')).code).toBe(1);
  const transcript = await baton('show', 'last', 'b');
  expect([transcript.code, transcript.stdout]).toEqual([0, expect.stringContaining('Fine.')]);
});

test('a failed step, a timeout and a bad file have their exit codes', async () => {
  const world = new CliWorld();
  writeChains(world.cwd, { bad: [step('a', 'demo:fail')], slow: [step('a', 'demo:stall')] });
  const path = join(world.cwd, 'chains.json');
  const file = JSON.parse(readFileSync(path, 'utf8'));
  file.chains.slow.timeoutMs = 300;
  writeFileSync(path, JSON.stringify(file));
  const run = (name: string) =>
    world.call({ args: ['chain', 'run', name, '--trust', '--cwd', world.cwd] });
  expect((await run('bad')).code).toBe(1);
  expect((await run('slow')).code).toBe(124);
  expect((await run('missing')).code).toBe(2);
  writeFileSync(path, '{ "chains": 1 }');
  const broken = await run('bad');
  expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining('chains.json:1:')]);
}, 60_000);

/** Starts a chain in the background, and waits until a file exists. */
async function started(world: CliWorld, file: string, ...more: string[]) {
  const args = ['chain', 'run', 'long', '--trust', '--cwd', world.cwd, ...more];
  const child = world.start({ args });
  const gone = once(child, 'close');
  await vi.waitFor(() => expect(existsSync(join(world.cwd, file))).toBe(true), WAIT);
  return { child, gone };
}

/** A step that writes a line when it runs. */
const noted = (id: string, ...more: object[]) =>
  step(id, script({ shell: `echo ${id} >> ran` }, ...more, { say: id }));
const LONG = [noted('a'), noted('b', { shell: 'touch here; sleep 60' }), noted('c')];

function ran(world: CliWorld): string[] {
  return readFileSync(join(world.cwd, 'ran'), 'utf8').trim().split('\n');
}

/** Waits until the session of an agent is stored: without it, a killed step cannot continue. */
async function untilResumable(world: CliWorld, title: string): Promise<void> {
  const store = await openStore({ url: join(world.home, '.baton/chains.db') });
  onTestFinished(() => store.close());
  await vi.waitFor(async () => {
    const [session] = await store.records.sessions.find({ where: { title } });
    expect(session?.native_session_id).toEqual(expect.any(String));
  }, WAIT);
}

test('Ctrl-C stops every running step, and nothing is left', async () => {
  const world = new CliWorld();
  const long = { shell: 'touch here-$$; sleep 60' };
  const many = Array.from({ length: 4 }, (_, index) => step(`s${index}`, script(long)));
  writeChains(world.cwd, {
    long: [
      { id: 'all', parallel: [...many, step('last', script({ shell: 'touch here; sleep 60' }))] },
    ],
  });
  const { child, gone } = await started(world, 'here');
  child.kill('SIGINT');
  expect((await gone)[0]).toBe(130);
  world.expectNothingLeft();
  const { stdout } = await world.call({ args: ['chain', 'runs', '--json'] });
  expect(JSON.parse(stdout)[0]).toMatchObject({ status: 'cancelled', chain: 'long' });
}, 60_000);

test('with one failing step of 20, fail-fast stops the others and wait lets them finish', async () => {
  const world = new CliWorld();
  const many = (first: object) =>
    Array.from({ length: 20 }, (_, index) => {
      return step(`s${index}`, index === 7 ? 'demo:fail' : script(first));
    });
  writeChains(world.cwd, {
    fast: [{ id: 'all', parallel: many({ stall: true }) }],
    wait: [{ id: 'all', policy: 'wait', concurrency: 5, parallel: many({ say: 'ok' }) }],
  });
  const run = async (name: string) => {
    const args = ['chain', 'run', name, '--trust', '--json', '--cwd', world.cwd];
    // It checks that nothing is left.
    const { code, stdout, stderr } = await world.call({ args });
    expect(stderr).toBe('');
    const outcomes = [...foldChain(eventsIn(stdout)).steps.values()].map(({ status }) => status);
    return { code, outcomes };
  };
  const fast = await run('fast');
  expect([fast.code, fast.outcomes.includes('done')]).toEqual([1, false]);
  const wait = await run('wait');
  expect(wait.code).toBe(1);
  expect(wait.outcomes.filter((outcome) => outcome === 'done')).toHaveLength(19);
}, 90_000);

test('a killed chain continues without repeating a finished step', async () => {
  const world = new CliWorld();
  writeChains(world.cwd, { long: LONG });
  const { child, gone } = await started(world, 'here');
  await untilResumable(world, 'long: b');
  child.kill('SIGKILL');
  await gone;
  // The agent of a killed program is still there.
  const { stdout } = world.start({ args: ['chain', 'runs', '--json'] });
  expect(JSON.parse(await text(stdout))[0]).toMatchObject({ status: 'interrupted' });
  const shown = world.start({ args: ['chain', 'show', 'last'] });
  expect(await text(shown.stdout)).toMatch(/interrupted[\s\S]*b\s+interrupted/);
  const resumed = await world.call({ args: ['chain', 'resume', 'last', '--json'] });
  expect(resumed.code).toBe(0);
  const types = eventsIn(resumed.stdout).map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(['chain.resumed', 'step.interrupted']));
  expect(ran(world)).toEqual(['a', 'b', 'c']);
}, 60_000);

async function endOf(client: BatonClient): Promise<string> {
  return vi.waitFor(async () => {
    const { data } = await client.chainRuns.find();
    expect(data[0]?.completed_at).not.toBeNull();
    return data[0]?.status ?? '';
  }, WAIT);
}

/** Ends a daemon in the middle of a chain, lets the step finish, and starts the daemon again. */
async function restartedInChain(signal: NodeJS.Signals) {
  const { world, folder, served, client, url } = await operatedApart();
  const wait = { shell: 'touch here; while [ ! -e go ]; do sleep 0.05; done' };
  writeChains(world.cwd, { long: [noted('a'), noted('b', wait), noted('c')] });
  const file = join(world.cwd, 'chains.json');
  const [known] = await client.chains.find({ cwd: world.cwd });
  await client.chains.trust({ file, hash: known?.hash ?? '' });
  const { chain_run_id: id } = await client.chainRuns.create({ file, chain: 'long' });
  await vi.waitFor(() => expect(existsSync(join(world.cwd, 'here'))).toBe(true), WAIT);
  const gone = once(served.child, 'exit');
  served.child.kill(signal);
  await gone;
  writeFileSync(join(world.cwd, 'go'), '');
  await serveIn(folder, Number(new URL(url).port));
  return { world, client, id };
}

test('a chain continues when its daemon is killed and comes back', async () => {
  const { world, client } = await restartedInChain('SIGKILL');
  expect(await endOf(client)).toBe('done');
  expect(ran(world)).toEqual(['a', 'b', 'c']);
}, 90_000);

test('a chain continues when its daemon is stopped and comes back', async () => {
  const { world, client, id } = await restartedInChain('SIGTERM');
  // Its agent was stopped with the daemon: it is told to continue in its own session.
  await vi.waitFor(async () => {
    const { data } = await client.tasks.find();
    expect(data.map(({ description }) => description)).toContainEqual(
      expect.stringContaining('You were interrupted'),
    );
  }, WAIT);
  const types = (await client.chainRuns.events({ chain_run_id: id })).events.map(
    ({ type }) => type,
  );
  expect(types).toContain('step.interrupted');
  await client.chainRuns.stop(id);
  expect(await endOf(client)).toBe('cancelled');
  expect(ran(world)).toEqual(['a', 'b']);
}, 90_000);

test('through a daemon, a terminal asks for approvals, and so does another place', async () => {
  const { world, client, url } = await operated();
  writeChains(world.cwd, {
    two: [
      { id: 'here', approve: 'Here?' },
      { id: 'there', approve: 'There?' },
    ],
  });
  const args = ['chain', 'run', 'two', '--trust', '--daemon', url, '--cwd', world.cwd];
  const terminal = world.terminal({ args });
  await terminal.until('Here?');
  await terminal.until('reject, with a reason');
  terminal.type('y');
  await terminal.until('There?');
  await terminal.until('reject, with a reason');
  const { chain_run_id: id } = (await client.chainRuns.find()).data[0] ?? { chain_run_id: '' };
  await client.chainRuns.answer(id, { step: 'there', decision: 'approve' });
  expect((await terminal.end()).code).toBe(0);
}, 60_000);

test('through a daemon: untrusted files are refused, steps are sessions, a stop stops', async () => {
  const { world, client, baton, url } = await operated();
  writeChains(world.cwd, { long: LONG });
  const file = join(world.cwd, 'chains.json');
  await expect(client.chainRuns.create({ file, chain: 'long' })).rejects.toMatchObject({
    code: 'forbidden',
  });
  const child = world.start({
    args: ['chain', 'run', 'long', '--trust', '--daemon', url, '--cwd', world.cwd],
  });
  const gone = once(child, 'close');
  onTestFinished(() => void child.kill('SIGKILL'));
  await vi.waitFor(() => expect(existsSync(join(world.cwd, 'here'))).toBe(true), WAIT);
  const { data: sessions } = await client.sessions.find();
  expect(sessions.map(({ title }) => title).sort()).toEqual(['long: a', 'long: b']);
  child.kill('SIGINT');
  expect((await gone)[0]).toBe(130);
  expect(await endOf(client)).toBe('cancelled');
  const { data: tasks } = await client.tasks.find();
  expect(tasks.map(({ status }) => status).sort()).toEqual(['CANCELLED', 'COMPLETED']);
  const { stdout } = await baton('chain', 'show', 'last', '--daemon', url);
  expect(stdout).toMatch(/b\s+stopped\s+demo/);
}, 60_000);

test('steps have the same worktrees in this process and through a daemon', async () => {
  // Its executors make worktrees in the home of the world.
  const { world, baton, url } = await operatedApart(({ home }) => ({ HOME: home }));
  const { cwd } = world;
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd, env: { ...world.env }, encoding: 'utf8' });
  rmSync(join(cwd, '.git'), { recursive: true });
  git('init', '--quiet', '-b', 'main');
  const user = ['-c', 'user.name=U', '-c', 'user.email=u@localhost'];
  git(...user, 'commit', '--quiet', '--allow-empty', '-m', 'first');
  const named = { kind: 'worktree', name: 'fix' };
  const write = (id: string) => script({ shell: `echo ${id} >> b.txt; cat b.txt` }, { say: id });
  writeChains(cwd, {
    all: [
      step('write', write('write'), { workspace: named }),
      {
        id: 'both',
        parallel: [
          step('left', write('left'), { workspace: 'worktree' }),
          step('right', write('right'), { workspace: named }),
        ],
      },
    ],
  });
  const placesOf = (stdout: string) =>
    eventsIn(stdout)
      .flatMap((event) =>
        event.type === 'step.placed' ? [[event.step, event.workspace.branch]] : [],
      )
      .sort();
  const run = ['chain', 'run', 'all', '--trust', '--json', '--cwd', cwd];
  const here = await baton(...run);
  expect([here.code, here.stderr]).toEqual([0, '']);
  expect(placesOf(here.stdout)).toEqual([
    ['both/left', 'baton/all-left'],
    ['both/right', 'baton/fix'],
    ['write', 'baton/fix'],
  ]);
  const there = await baton(...run, '--daemon', url);
  expect([there.code, there.stderr]).toEqual([0, '']);
  expect(placesOf(there.stdout)).toEqual([
    ['both/left', 'baton/all-left-2'],
    ['both/right', 'baton/fix-2'],
    ['write', 'baton/fix-2'],
  ]);
  const placed = eventsIn(there.stdout).find((event) => event.type === 'step.placed');
  const { path = '' } = placed?.workspace ?? {};
  expect(readFileSync(join(path, 'b.txt'), 'utf8')).toBe('write\nright\n');
  expect(existsSync(join(cwd, 'b.txt'))).toBe(false);
});
