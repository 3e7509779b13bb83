import { COMPLETION_MARKER } from '@baton/contracts/marker';
import { BatonError, type StepState } from '@baton/protocol';
import { openStore } from '@baton/store';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Step } from '../chain.ts';
import { agentStep, chainOf, ScriptedHost, testEngine } from '../testing/scripted-host.ts';

const WHERE = { cwd: process.cwd(), file: 'chains.json', fileHash: 'hash', inputs: {} };

function statuses(steps: ReadonlyMap<string, StepState>): Record<string, string> {
  return Object.fromEntries([...steps].map(([path, { status }]) => [path, status]));
}

test('runs steps in order and hands earlier outputs over', async () => {
  const host = new ScriptedHost(({ step }) => ({ output: `<${step}>`, usage: { costUsd: 0.5 } }));
  const { run, events } = await testEngine(host);
  const chain = chainOf(
    [
      agentStep('plan', { prompt: 'Plan {{inputs.goal}}' }),
      agentStep('build', { prompt: 'Build {{steps.plan.output}} {{previous.output}}' }),
    ],
    { inputs: { goal: {} } },
  );
  const { state } = await run(chain, { goal: 'a boat' });
  expect(host.tasks.map(({ prompt }) => prompt)).toEqual(['Plan a boat', 'Build <plan> <plan>']);
  expect(state).toMatchObject({ status: 'done', outcome: 'done', usage: { costUsd: 1 } });
  expect(events.map(({ type }) => type)).toEqual([
    'chain.started',
    'step.started',
    'step.completed',
    'step.started',
    'step.completed',
    'chain.completed',
  ]);
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
});

test('stores the start of a step before its task runs, and its end before the next', async () => {
  const seen: string[][] = [];
  const host = new ScriptedHost(async ({ step }) => {
    const [row] = await store.records.chainRuns.find();
    const stored = await store.chainRuns.read(row?.run_id ?? '');
    seen.push([step, ...stored.map(({ type }) => type)]);
    return {};
  });
  const { run, store } = await testEngine(host);
  await run(chainOf([agentStep('one'), agentStep('two')]));
  expect(seen).toEqual([
    ['one', 'chain.started', 'step.started'],
    ['two', 'chain.started', 'step.started', 'step.completed', 'step.started'],
  ]);
});

test('a failed step ends the chain and skips the rest', async () => {
  const error = { code: 'agent_failed', message: 'No.', retryable: false };
  const host = new ScriptedHost(({ step }) => (step === 'one' ? { outcome: 'failed', error } : {}));
  const { run } = await testEngine(host);
  const { state } = await run(chainOf([agentStep('one'), agentStep('two')]));
  expect(state).toMatchObject({ status: 'failed', error });
  expect(statuses(state.steps)).toEqual({ one: 'failed', two: 'skipped' });
});

test('a step can continue after a failure, and a condition can ask for one', async () => {
  const host = new ScriptedHost(({ step }) => (step === 'test' ? { outcome: 'failed' } : {}));
  const { run } = await testEngine(host);
  const failed = { step: 'test', outcome: 'failed' };
  const { state } = await run(
    chainOf([
      agentStep('test', { onFailure: 'continue' }),
      agentStep('fix', { if: failed }),
      agentStep('ship', { if: { not: failed } }),
    ]),
  );
  expect(state.status).toBe('done');
  expect(statuses(state.steps)).toEqual({ test: 'failed', fix: 'done', ship: 'skipped' });
});

test('a step that handles a failure runs, and the chain has still failed', async () => {
  const host = new ScriptedHost(({ step }) => (step === 'test' ? { outcome: 'failed' } : {}));
  const { run } = await testEngine(host);
  const { state } = await run(
    chainOf([
      agentStep('test'),
      agentStep('ship'),
      agentStep('report', { if: { step: 'test', outcome: ['failed', 'timed_out'] } }),
    ]),
  );
  expect(state.status).toBe('failed');
  expect(statuses(state.steps)).toEqual({ test: 'failed', ship: 'skipped', report: 'done' });
});

test('a condition reads the structured output of a step', async () => {
  const host = new ScriptedHost(({ step }) =>
    step === 'review' ? { structured: { verdict: 'reject' } } : {},
  );
  const { run } = await testEngine(host);
  const { state } = await run(
    chainOf([
      agentStep('review'),
      agentStep('fix', { if: { step: 'review', path: 'verdict', equals: 'reject' } }),
      agentStep('merge', { if: { step: 'review', path: 'verdict', equals: 'approve' } }),
    ]),
  );
  expect(statuses(state.steps)).toEqual({ review: 'done', fix: 'done', merge: 'skipped' });
});

test('an agent with iterations stops after the iteration with the marker', async () => {
  const host = new ScriptedHost(({ step }) => ({
    output: step === 'work#2' ? `All done. ${COMPLETION_MARKER}` : 'More to do.',
  }));
  const { run } = await testEngine(host);
  const { state } = await run(
    chainOf([agentStep('work', { iterations: 5, prompt: 'Go {{iteration}}' })]),
  );
  expect(host.tasks.map(({ step, prompt }) => [step, prompt])).toEqual([
    ['work#1', 'Go 1'],
    ['work#2', 'Go 2'],
  ]);
  expect(state.status).toBe('done');
  expect(state.steps.get('work')).toMatchObject({ status: 'done', marker: true });
});

test('a limit without the marker is a failed step', async () => {
  const { run } = await testEngine(new ScriptedHost());
  const { state } = await run(chainOf([agentStep('work', { iterations: 2 })]));
  expect(state).toMatchObject({ status: 'failed', error: { code: 'iterations_exhausted' } });
  expect(state.steps.get('work')?.error?.message).toContain('2 iterations');
});

test('a single iteration needs no marker', async () => {
  const host = new ScriptedHost();
  const { run } = await testEngine(host);
  const { state } = await run(chainOf([agentStep('work', { iterations: 1 })]));
  expect([state.status, host.steps]).toEqual(['done', ['work']]);
});

test('a loop repeats its steps until the condition holds', async () => {
  const host = new ScriptedHost(({ step }) => ({ structured: { ok: step === 'fix#3/test' } }));
  const { run } = await testEngine(host);
  const { state } = await run(
    chainOf([
      {
        ...{ kind: 'loop', id: 'fix', onFailure: 'stop', maxIterations: 5 },
        until: { step: 'test', path: 'ok', equals: true },
        steps: [agentStep('edit'), agentStep('test')],
      },
    ]),
  );
  expect(state.status).toBe('done');
  expect(host.steps).toEqual([
    'fix#1/edit',
    'fix#1/test',
    'fix#2/edit',
    'fix#2/test',
    'fix#3/edit',
    'fix#3/test',
  ]);
});

test('for each item of a list that an earlier step gave', async () => {
  const host = new ScriptedHost(({ step }) =>
    step === 'plan' ? { structured: { files: ['a.ts', 'b.ts'] } } : {},
  );
  const { run } = await testEngine(host);
  const { state } = await run(
    chainOf([
      agentStep('plan'),
      {
        ...{ kind: 'forEach', id: 'each', onFailure: 'stop', policy: 'wait', concurrency: 1 },
        items: '{{steps.plan.structured.files}}',
        steps: [agentStep('review', { prompt: '{{index}} {{item}}' })],
      },
      agentStep('sum', { prompt: '{{steps.each.structured.1.output}}' }),
    ]),
  );
  expect(host.tasks.slice(1).map(({ step, prompt }) => [step, prompt])).toEqual([
    ['each#1/review', '0 a.ts'],
    ['each#2/review', '1 b.ts'],
    ['sum', 'each#2/review output'],
  ]);
  expect(state.status).toBe('done');
});

test.each([
  ['{{steps.plan.structured.files}}', 101, undefined, '101 items, and the step allows 100'],
  ['{{steps.plan.structured.files}}', 100, undefined, undefined],
  ['{{steps.plan.structured.files}}', 150, 150, undefined],
  ['{{steps.plan.structured.files}}', 3, 2, '3 items, and the step allows 2'],
  [Array.from({ length: 120 }, () => 'x'), 0, undefined, undefined],
  [['x', 'y'], 0, 1, '2 items, and the step allows 1'],
] as const)('limits the items of a list: %#', async (items, length, maxItems, problem) => {
  const files = Array.from({ length }, (_, index) => `f${index}`);
  const host = new ScriptedHost(({ step }) => (step === 'plan' ? { structured: { files } } : {}));
  const { run } = await testEngine(host);
  const each: Step = {
    ...{ kind: 'forEach', id: 'each', onFailure: 'stop', policy: 'wait', concurrency: 20 },
    items: typeof items === 'string' ? items : [...items],
    maxItems,
    steps: [agentStep('review')],
  };
  const { state } = await run(chainOf([agentStep('plan'), each]));
  if (problem === undefined) {
    expect(state.status).toBe('done');
    return;
  }
  expect(host.tasks.map(({ step }) => step)).toEqual(['plan']);
  expect(state.steps.get('each')?.error?.message).toContain(problem);
});

function twenty(policy: 'fail-fast' | 'wait', concurrency?: number): Step {
  const steps = Array.from({ length: 20 }, (_, index) => agentStep(`s${index}`));
  return { kind: 'parallel', id: 'all', onFailure: 'stop', policy, concurrency, steps };
}

test('fail-fast stops the other steps when one fails', async () => {
  const host = new ScriptedHost(({ step }) => (step === 'all/s7' ? { outcome: 'failed' } : 'hang'));
  const { run } = await testEngine(host);
  const { state } = await run(chainOf([twenty('fail-fast')]));
  expect(state.status).toBe('failed');
  expect(host.stopped).toHaveLength(19);
  expect(state.steps.get('all')?.status).toBe('failed');
});

test('wait lets the other steps finish, and the step has failed', async () => {
  const host = new ScriptedHost(({ step }) => (step === 'all/s7' ? { outcome: 'failed' } : {}));
  const { run } = await testEngine(host);
  const { state } = await run(chainOf([twenty('wait', 3)]));
  expect(host.steps).toHaveLength(20);
  const done = Object.values(statuses(state.steps)).filter((status) => status === 'done');
  expect([state.status, done.length]).toEqual(['failed', 19]);
});

test('runs at most as many steps at once as allowed', async () => {
  let running = 0;
  let most = 0;
  const host = new ScriptedHost(async () => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    return {};
  });
  const { run } = await testEngine(host);
  await run(chainOf([twenty('wait', 4)]));
  expect(most).toBeLessThanOrEqual(4);
});

test('an approval step suspends a run that nobody watches, and a later answer continues it', async () => {
  const host = new ScriptedHost();
  const first = await testEngine(host);
  const approval: Step = { kind: 'approval', id: 'ok', onFailure: 'stop', message: 'Ship it?' };
  const chain = chainOf([agentStep('build'), approval, agentStep('ship')]);
  const { runId, state } = await first.run(chain);
  expect(state.status).toBe('awaiting_approval');
  expect(state.steps.get('ok')).toMatchObject({ status: 'awaiting_approval', message: 'Ship it?' });
  const again = await (await first.engine.resume(runId)).done;
  expect(again.status).toBe('awaiting_approval');
  expect((await first.store.records.chainRuns.get(runId))?.status).toBe('awaiting_approval');
  await first.engine.answer(runId, 'ok', { decision: 'approve', comment: 'Go.' });
  const second = await testEngine(host, { store: first.store });
  const { done } = await second.engine.resume(runId);
  expect((await done).status).toBe('done');
  expect(host.steps).toEqual(['build', 'ship']);
});

test('a rejected approval fails the chain', async () => {
  const { engine, store, events } = await testEngine(new ScriptedHost(), { approvals: 'wait' });
  const approval: Step = { kind: 'approval', id: 'ok', onFailure: 'stop', message: 'Ship it?' };
  const { runId, done } = await engine.start({ chain: chainOf([approval]), ...WHERE });
  await vi.waitFor(() => expect(events.at(-1)?.type).toBe('approval.requested'));
  expect((await store.records.chainRuns.get(runId))?.status).toBe('awaiting_approval');
  await engine.answer(runId, 'ok', { decision: 'reject', comment: 'Not today.' });
  const { status, error } = await done;
  expect([status, error?.code, error?.message]).toEqual([
    'failed',
    'permission_denied',
    'The step was rejected. Not today.',
  ]);
  await expect(engine.answer(runId, 'ok', { decision: 'approve' })).rejects.toThrow('not waiting');
});

test('a stop ends every running step', async () => {
  const host = new ScriptedHost(() => 'hang');
  const { engine } = await testEngine(host);
  const { runId, done } = await engine.start({ chain: chainOf([twenty('wait')]), ...WHERE });
  await vi.waitFor(() => expect(host.tasks).toHaveLength(20));
  await engine.stop(runId, { reason: 'Enough.' });
  expect((await done).status).toBe('cancelled');
  expect(host.stopped).toHaveLength(20);
});

test('a chain that takes too long times out', async () => {
  const host = new ScriptedHost(() => 'hang');
  const { run } = await testEngine(host);
  const { state } = await run(chainOf([agentStep('slow')], { timeoutMs: 1 }));
  expect(state).toMatchObject({ status: 'timed_out', error: { code: 'timed_out' } });
  expect(host.stopped).toEqual(['slow']);
});

test('no step starts after the budget is spent', async () => {
  const host = new ScriptedHost(() => ({ usage: { costUsd: 0.6 } }));
  const { run } = await testEngine(host);
  const steps = [agentStep('one'), agentStep('two'), agentStep('three')];
  const { state } = await run(chainOf(steps, { budgetUsd: 1 }));
  expect(host.tasks.map(({ budgetUsd }) => budgetUsd)).toEqual([1, 0.4]);
  expect(state).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } });
});

test('a fallback is used only if it is configured, with a notice', async () => {
  const host = new ScriptedHost();
  host.unavailable.add('claude-cli');
  const { run, events } = await testEngine(host);
  const claude = agentStep('one', { backend: 'claude-cli' });
  await expect(run(chainOf([claude]))).rejects.toThrow('claude-cli is not installed');
  expect(events).toEqual([]);
  await run(chainOf([{ ...claude, fallback: ['codex-cli'] }]));
  expect(host.tasks.map(({ backend }) => backend)).toEqual(['codex-cli']);
  expect(events.find(({ type }) => type === 'chain.notice')).toMatchObject({ code: 'fallback' });
});

test('a missing value in a template fails its step and nothing else starts', async () => {
  const host = new ScriptedHost();
  const { run } = await testEngine(host);
  const { state } = await run(
    chainOf([agentStep('plan'), agentStep('build', { prompt: '{{steps.plan.structured.x}}' })]),
  );
  expect([state.status, host.steps]).toEqual(['failed', ['plan']]);
});

test.each([
  ['an unknown input', { other: '1' }, 'has no input "other"'],
  ['a missing input', {}, 'Input "size" is missing'],
  ['a value that is no choice', { size: 'XL' }, 'must be one of: S, M'],
])('refuses %s before anything is stored', async (_, inputs, message) => {
  const { run, store } = await testEngine(new ScriptedHost());
  const chain = chainOf([agentStep('one')], { inputs: { size: { choices: ['S', 'M'] } } });
  await expect(run(chain, inputs as Record<string, string>)).rejects.toThrow(message);
  expect(await store.records.chainRuns.count()).toBe(0);
});

/** Starts a chain whose step `two` hangs, and ends its engine as a crash would. */
async function crashed(host: ScriptedHost) {
  const first = await testEngine(host);
  const steps = [agentStep('one'), agentStep('two'), agentStep('three')];
  const { runId, done } = await first.engine.start({ chain: chainOf(steps), ...WHERE });
  await vi.waitFor(() => expect(host.steps).toContain('two'));
  await first.engine.close();
  await done;
  return { runId, store: first.store };
}

function hangsAtFirst(step: string): ScriptedHost {
  let attempts = 0;
  return new ScriptedHost((task) => (task.step === step && attempts++ === 0 ? 'hang' : {}));
}

test('a resumed run joins a task that still runs', async () => {
  const host = hangsAtFirst('two');
  const { runId, store } = await crashed(host);
  const { engine } = await testEngine(host, { store });
  const { done } = await engine.resume(runId);
  expect((await done).status).toBe('done');
  expect(host.steps).toEqual(['one', 'two', 'two', 'three']);
  expect(host.tasks[1]?.taskId).toBe(host.tasks[2]?.taskId);
});

test('a resumed run takes the result of a task that ended meanwhile', async () => {
  const host = hangsAtFirst('two');
  host.found.set('two', {
    state: 'ended',
    end: { outcome: 'done', output: 'late', marker: false },
  });
  const { runId, store } = await crashed(host);
  const { engine } = await testEngine(host, { store });
  const { done } = await engine.resume(runId);
  expect((await done).steps.get('two')).toMatchObject({ status: 'done', output: 'late' });
  expect(host.steps).toEqual(['one', 'two', 'three']);
});

test('an interrupted step continues through the session of its agent', async () => {
  const host = hangsAtFirst('two');
  host.found.set('two', { state: 'interrupted', canContinue: true, usage: { costUsd: 2 } });
  const { runId, store } = await crashed(host);
  const { engine, events } = await testEngine(host, { store });
  const { done } = await engine.resume(runId);
  expect(await done).toMatchObject({ status: 'done', usage: { costUsd: 2 } });
  const [, interrupted, continued] = host.tasks;
  expect(continued).toMatchObject({ continues: true, sessionId: interrupted?.sessionId });
  expect(continued?.taskId).not.toBe(interrupted?.taskId);
  expect(events.some(({ type }) => type === 'step.interrupted')).toBe(true);
});

test('an interrupted step that cannot continue is restarted only on request', async () => {
  const host = hangsAtFirst('two');
  host.found.set('two', { state: 'interrupted', canContinue: false });
  const { runId, store } = await crashed(host);
  const second = await testEngine(host, { store });
  const { error, status } = await (await second.engine.resume(runId)).done;
  expect([status, error?.code]).toEqual(['failed', 'interrupted']);
  expect(host.steps).toEqual(['one', 'two']);
  await expect(second.engine.resume(runId)).rejects.toThrow('has ended');
  const { done } = await second.engine.resume(runId, { restart: true });
  expect((await done).status).toBe('done');
  expect(host.steps).toEqual(['one', 'two', 'two', 'three']);
});

test('restart runs failed steps again, and finished ones never', async () => {
  let attempts = 0;
  const host = new ScriptedHost(({ step }) =>
    step === 'all/b' && attempts++ === 0 ? { outcome: 'failed' } : {},
  );
  const { engine, run } = await testEngine(host);
  const steps = [agentStep('a'), agentStep('b')];
  const parallel: Step = { kind: 'parallel', id: 'all', onFailure: 'stop', policy: 'wait', steps };
  const { runId, state } = await run(chainOf([parallel, agentStep('end')]));
  expect(state.status).toBe('failed');
  const { done } = await engine.resume(runId, { restart: true });
  expect((await done).status).toBe('done');
  expect(host.steps).toEqual(['all/a', 'all/b', 'all/b', 'end']);
});

test('a loop that is restarted gets its whole limit again', async () => {
  const host = new ScriptedHost(({ step }) => ({
    output: step === 'work#3' ? COMPLETION_MARKER : 'No.',
  }));
  const { engine, run } = await testEngine(host);
  const { runId, state } = await run(chainOf([agentStep('work', { iterations: 2 })]));
  expect(state.status).toBe('failed');
  const { done } = await engine.resume(runId, { restart: true });
  expect((await done).status).toBe('done');
  expect(host.steps).toEqual(['work#1', 'work#2', 'work#3']);
});

test('a run gets its whole time again when it is restarted', async () => {
  let now = 1;
  const store = await openStore({ url: ':memory:', now: () => now });
  onTestFinished(() => store.close());
  const host = hangsAtFirst('slow');
  const { engine } = await testEngine(host, { store });
  const chain = chainOf([agentStep('slow')], { timeoutMs: 60_000 });
  const { runId, done } = await engine.start({ chain, ...WHERE });
  await vi.waitFor(() => expect(host.steps).toEqual(['slow']));
  now += 120_000;
  await engine.stop(runId);
  expect(await done).toMatchObject({ status: 'cancelled', activeMs: 120_000 });
  const restarted = await engine.resume(runId, { restart: true });
  expect((await restarted.done).status).toBe('done');
});

test('what was denied because nobody was there is a notice', async () => {
  const { run } = await testEngine(new ScriptedHost(() => ({ denied: 2 })));
  const { state } = await run(chainOf([agentStep('one')]));
  const message = '2 requests were denied because no one was there to ask.';
  expect(state.notices).toEqual([{ step: 'one', code: 'denied', message }]);
});

test('a store that fails leaves the tasks of other steps running', async () => {
  const host = new ScriptedHost(({ step }) => (step === 'all/a' ? {} : 'hang'));
  const store = await openStore({ url: ':memory:' });
  onTestFinished(() => store.close());
  const { chainRuns } = store;
  const append: typeof chainRuns.append = async (id, drafts, owner) => {
    const [first] = typeof drafts === 'function' ? [] : drafts;
    if (first?.type === 'step.completed') {
      await vi.waitFor(() => expect(host.steps).toContain('all/b'));
      throw new BatonError('store_unavailable', 'The database is away.');
    }
    return chainRuns.append(id, drafts, owner);
  };
  const broken = new Proxy(chainRuns, {
    get: (target, name) => {
      if (name === 'append') return append;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const { engine } = await testEngine(host, { store: { ...store, chainRuns: broken } });
  const steps = [agentStep('a'), agentStep('b')];
  const parallel: Step = { kind: 'parallel', id: 'all', onFailure: 'stop', policy: 'wait', steps };
  const { done } = await engine.start({ chain: chainOf([parallel]), ...WHERE });
  await expect(done).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(host.stopped).toEqual([]);
});

test('a run is resumed only once, however often that is asked for', async () => {
  const host = hangsAtFirst('two');
  const { runId, store } = await crashed(host);
  const { engine } = await testEngine(host, { store });
  const asked = await Promise.allSettled([engine.resume(runId), engine.resume(runId)]);
  expect(asked.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  for (const each of asked) if (each.status === 'fulfilled') await each.value.done;
  expect(host.steps).toEqual(['one', 'two', 'two', 'three']);
});

test('a process that gives a run up leaves a pending approval as it is', async () => {
  const host = new ScriptedHost();
  const first = await testEngine(host, { approvals: 'wait' });
  const approval: Step = { kind: 'approval', id: 'ok', onFailure: 'stop', message: 'Go?' };
  const steps = [approval, agentStep('a')];
  const loop: Step = { kind: 'loop', id: 'l', onFailure: 'stop', maxIterations: 1, steps };
  const until = { step: 'a', outcome: 'done' };
  const chain = chainOf([{ ...loop, until }]);
  const { runId, done } = await first.engine.start({ chain, ...WHERE });
  await vi.waitFor(() => expect(first.events.at(-1)?.type).toBe('approval.requested'));
  await first.engine.close();
  expect((await done).status).toBe('awaiting_approval');
  const second = await testEngine(host, { store: first.store, approvals: 'wait' });
  const resumed = await second.engine.resume(runId);
  await second.engine.answer(runId, 'l#1/ok', { decision: 'approve' });
  expect((await resumed.done).status).toBe('done');
  expect(host.steps).toEqual(['l#1/a']);
});

test('only one process runs a chain', async () => {
  const host = new ScriptedHost(() => 'hang');
  const first = await testEngine(host, { isAlive: () => true });
  const { runId } = await first.engine.start({ chain: chainOf([agentStep('one')]), ...WHERE });
  const second = await testEngine(host, { store: first.store, isAlive: () => true });
  await expect(second.engine.resume(runId)).rejects.toThrow('already running');
  await second.engine.stop(runId);
  await vi.waitFor(async () => {
    expect((await first.store.records.chainRuns.get(runId))?.status).toBe('cancelled');
  });
});

test('a stop of an interrupted run ends it and its tasks', async () => {
  const host = hangsAtFirst('two');
  const { runId, store } = await crashed(host);
  const { engine } = await testEngine(host, { store });
  await engine.stop(runId);
  expect((await store.records.chainRuns.get(runId))?.status).toBe('cancelled');
  expect(host.stopped).toHaveLength(1);
});
