import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBaton } from '@baton/agents/registry/create-baton';
import { denyUnattended } from '@baton/engine/run/deny-request';
import { EmbeddedHost } from '@baton/host';
import type { AgentStep, Step } from '@baton/orchestra';
import type { PendingRequest, RequestAnswer } from '@baton/protocol';
import { openStore, type Store } from '@baton/store';
import { expect, onTestFinished, test, vi } from 'vitest';
import { agentStep, chainOf, testEngine } from '../../../../orchestra/src/testing/scripted-host.ts';

async function world(ask?: (pending: PendingRequest) => RequestAnswer) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'chain-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = await openStore({ url: join(folder, 'chains.db') });
  onTestFinished(() => store.close());
  const baton = await createBaton({ settings: 'none' });
  const host = new EmbeddedHost({ baton, store });
  const { engine, events } = await testEngine(host, {
    store,
    ask: (_step, pending) => (ask ?? denyUnattended)(pending),
  });
  const run = async (steps: Step[]) => {
    const where = { cwd: folder, file: 'chains.json', fileHash: 'hash', inputs: {} };
    return engine.start({ chain: chainOf(steps), ...where });
  };
  return { folder, store, host, engine, events, run };
}

/** A step that the demo agent carries out as told, without pauses. */
function demo(id: string, script: readonly object[], more: Partial<AgentStep> = {}): AgentStep {
  return agentStep(id, {
    prompt: `demo:script ${JSON.stringify(script)}`,
    permissionMode: 'allow-all',
    options: { providerOptions: { pace: 0 } },
    ...more,
  });
}

async function tasksOf(store: Store) {
  const rows = await store.records.tasks.find();
  return rows.map(({ status, output, backend }) => ({ status, output, backend }));
}

test('steps are ordinary tasks in sessions of the store', async () => {
  const { run, store } = await world();
  const second = demo('second', [{ say: 'placeholder' }]);
  const { done } = await run([
    demo('first', [{ say: 'one' }]),
    { ...second, prompt: 'demo:script [{"say": "{{steps.first.output}} and two"}]' },
  ]);
  const state = await done;
  expect(state).toMatchObject({ status: 'done' });
  expect(state.steps.get('second')?.output).toBe('one and two');
  expect(await tasksOf(store)).toEqual(
    expect.arrayContaining([
      { status: 'COMPLETED', output: 'one', backend: 'demo' },
      { status: 'COMPLETED', output: 'one and two', backend: 'demo' },
    ]),
  );
  const { sessionId = '' } = state.steps.get('first') ?? {};
  const { events } = await store.log.read(sessionId, 0, 1000);
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['session.created', 'prompt.queued', 'run.started', 'run.completed']),
  );
  expect(await store.leases.all()).toEqual([]);
});

test('without anybody to ask, a request is denied', async () => {
  const { run, folder } = await world();
  const write = { write: { path: 'a.txt', content: 'x' } };
  const { done } = await run([demo('edit', [write], { permissionMode: 'ask' })]);
  await done;
  expect(() => readFileSync(join(folder, 'a.txt'))).toThrow();
});

test('a person answers the requests of a step', async () => {
  const { run, folder, store } = await world(() => ({ decision: 'allow', scope: 'once' }));
  const write = { write: { path: 'a.txt', content: 'x' } };
  const { done } = await run([demo('edit', [write], { permissionMode: 'ask' })]);
  expect((await done).status).toBe('done');
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('x');
  const [request] = await store.records.requests.find();
  expect(request).toMatchObject({ status: 'resolved' });
});

test('a stop ends the agents of all steps', async () => {
  const { run, engine, events } = await world();
  const stalled = Array.from({ length: 3 }, (_, index) => demo(`s${index}`, [{ stall: true }]));
  const { runId, done } = await run([
    { kind: 'parallel', id: 'all', onFailure: 'stop', policy: 'wait', steps: stalled },
  ]);
  await vi.waitFor(() => {
    expect(events.filter(({ type }) => type === 'step.started')).toHaveLength(4);
  });
  await engine.stop(runId);
  const { status, steps } = await done;
  expect(status).toBe('cancelled');
  expect([...steps.values()].map((step) => step.status)).not.toContain('running');
});

test('an agent that fails before it starts fails its step', async () => {
  const { run } = await world();
  const { done } = await run([demo('bad', [{ say: 'x' }], { cwd: 'missing' })]);
  expect(await done).toMatchObject({ status: 'failed', error: { code: 'cwd_missing' } });
});

test('a backend or option that is not available is refused before the first step', async () => {
  const { run, store } = await world();
  await expect(run([agentStep('one', { backend: 'nothing' })])).rejects.toMatchObject({
    code: 'backend_unknown',
  });
  const options = { rawArgs: ['--x'] };
  await expect(run([agentStep('one'), agentStep('two', { options })])).rejects.toMatchObject({
    code: 'capability_missing',
  });
  expect(await store.records.chainRuns.count()).toBe(0);
});

test('structured output and the marker survive in the store', async () => {
  const { run, store, host } = await world();
  const { done } = await run([
    demo('one', [{ say: 'ORCHESTRA_COMPLETE' }, { say: '{"ok": true}' }], {
      options: {
        providerOptions: { pace: 0 },
        outputSchema: { type: 'object', properties: { ok: { type: 'boolean' } } },
      },
    }),
  ]);
  const { steps } = await done;
  const { taskId = '', sessionId = '', structured } = steps.get('one') ?? {};
  expect(structured).toEqual({ ok: true });
  expect(await host.find({ sessionId, taskId })).toEqual({ state: 'ended' });
  const { run: joined } = await host.join({ sessionId, taskId });
  expect(await joined.collect()).toMatchObject({ outcome: 'done', structured: { ok: true } });
  expect((await store.records.tasks.get(taskId))?.status).toBe('COMPLETED');
});
