import type { StepWorkspace, WorkspaceEvent, WorkspaceRequest } from '@baton/protocol';
import { expect, test } from 'vitest';
import type { Chain, Step } from '../chain.ts';
import {
  agentStep,
  chainOf,
  type PlayedTask,
  ScriptedHost,
  testEngine,
} from '../testing/scripted-host.ts';

const OWN = { kind: 'worktree' } as const;
const named = (name: string) => ({ ...OWN, name });

/** Runs a chain and returns the places that its steps asked for. */
async function placesOf(steps: Step[], chain: Partial<Chain> = {}) {
  const host = new ScriptedHost();
  const { run } = await testEngine(host);
  const inputs = { ticket: { default: '42' } };
  const { state } = await run(chainOf(steps, { inputs, ...chain }));
  expect(state.status).toBe('done');
  return new Map(host.tasks.map(({ step, workspace }) => [step, workspace]));
}

/** The ids of the worktrees, as letters in the order in which they first occur. */
function letters(places: ReadonlyMap<string, WorkspaceRequest | undefined>) {
  const ids: string[] = [];
  return [...places].map(([step, place]) => {
    const id = place?.workspace_id ?? '';
    if (!ids.includes(id)) ids.push(id);
    return `${step} ${'abcdef'[ids.indexOf(id)]}`;
  });
}

test('steps work in place unless the chain or the step says otherwise', async () => {
  const places = await placesOf([agentStep('one'), agentStep('two', { workspace: OWN })]);
  expect(places.get('one')).toEqual({ kind: 'in_place' });
  expect(places.get('two')).toMatchObject({ kind: 'worktree', name: 'test-two' });
});

test('the worktree of a chain is shared by the steps that have no place of their own', async () => {
  const places = await placesOf(
    [
      agentStep('one'),
      agentStep('two'),
      agentStep('apart', { workspace: OWN }),
      agentStep('here', { workspace: { kind: 'in_place' } }),
    ],
    { workspace: { ...OWN, base: 'main', with_changes: true } },
  );
  expect(places.get('here')).toEqual({ kind: 'in_place' });
  expect(places.get('one')).toMatchObject({ name: 'test', base: 'main', with_changes: true });
  places.delete('here');
  expect(letters(places)).toEqual(['one a', 'two a', 'apart b']);
});

test('steps that name the same worktree share it, and parallel steps without a name do not', async () => {
  const parallel: Step = {
    ...{ kind: 'parallel', id: 'both', policy: 'wait', onFailure: 'stop' },
    steps: [agentStep('left', { workspace: OWN }), agentStep('right', { workspace: OWN })],
  };
  const fix = agentStep('fix', { workspace: named('ticket {{inputs.ticket}}') });
  const review = agentStep('review', { workspace: named('ticket 42') });
  const places = await placesOf([fix, parallel, review]);
  expect(letters(places)).toEqual(['fix a', 'both/left b', 'both/right c', 'review a']);
  expect(places.get('fix')).toMatchObject({ name: 'ticket 42' });
});

test('a step has one worktree in all iterations, and one for each item of a list', async () => {
  const own = agentStep('own', { workspace: OWN });
  const iterated = agentStep('again', { workspace: OWN, iterations: 2, onFailure: 'continue' });
  const loop: Step = {
    ...{ kind: 'loop', id: 'loop', onFailure: 'continue', maxIterations: 2, steps: [own] },
  };
  const each: Step = {
    ...{ kind: 'forEach', id: 'each', items: ['x', 'y'], policy: 'wait', onFailure: 'stop' },
    ...{ concurrency: 1, steps: [own, agentStep('shared', { workspace: named('{{item}}') })] },
  };
  const places = await placesOf([iterated, loop, each]);
  expect(letters(places)).toEqual([
    ...['again#1 a', 'again#2 a', 'loop#1/own b', 'loop#2/own b'],
    ...['each#1/own c', 'each#1/shared d', 'each#2/own e', 'each#2/shared f'],
  ]);
  expect(places.get('each#2/own')).toMatchObject({ name: 'test-own-2' });
});

test('an empty name is an error of the step', async () => {
  const host = new ScriptedHost();
  const { run } = await testEngine(host);
  const step = agentStep('one', { workspace: named('{{inputs.ticket}}') });
  const { state } = await run(chainOf([step], { inputs: { ticket: {} } }), { ticket: ' ' });
  expect(state.steps.get('one')?.error?.message).toContain('The name of the worktree is empty');
  expect(host.tasks).toEqual([]);
});

test('another attempt uses the same worktree, and another run does not', async () => {
  let attempts = 0;
  const host = new ScriptedHost(() => {
    attempts += 1;
    return attempts === 1 ? { outcome: 'failed' } : {};
  });
  const { engine, run } = await testEngine(host);
  const chain = chainOf([agentStep('one', { workspace: OWN })]);
  const { runId } = await run(chain);
  await (await engine.resume(runId, { restart: true })).done;
  await run(chain);
  const [first, second, other] = host.tasks.map(({ workspace }) => workspace?.workspace_id);
  expect(second).toBe(first);
  expect(other).not.toBe(first);
});

test('the settings of the folder choose for a chain that names no place', async () => {
  const host = new ScriptedHost();
  let setting: 'worktree' | 'in_place' = 'worktree';
  const { engine, run } = await testEngine(host, {
    approvals: 'suspend',
    defaultWorkspace: async () => setting,
  });
  const approval: Step = { kind: 'approval', id: 'ok', message: 'Go?', onFailure: 'stop' };
  const { runId } = await run(chainOf([agentStep('one'), approval, agentStep('two')]));
  // A later change of the setting does not split the chain.
  setting = 'in_place';
  await engine.answer(runId, 'ok', { decision: 'approve' });
  await (await engine.resume(runId)).done;
  expect(host.tasks.map(({ workspace }) => workspace?.kind)).toEqual(['worktree', 'worktree']);
  await run(chainOf([agentStep('one')], { workspace: { kind: 'worktree' } }));
  expect(host.tasks.at(-1)?.workspace?.kind).toBe('worktree');
});

test('the place of a step is part of its state, and stored once', async () => {
  const place: StepWorkspace = {
    ...{ workspace_id: 'ws_1', branch: 'baton/one', base_ref: 'main' },
    ...{ path: '/worktrees/one', cwd: '/worktrees/one/src' },
  };
  const host = new ScriptedHost((task: PlayedTask) => {
    const workspace = { ...place, kind: 'worktree' };
    const event = { type: 'workspace.updated', workspace } as unknown as WorkspaceEvent;
    task.onWorkspace?.(event);
    task.onWorkspace?.(event);
    return {};
  });
  const { run, events } = await testEngine(host);
  const { state } = await run(chainOf([agentStep('one')]));
  expect(state.steps.get('one')).toMatchObject({ cwd: process.cwd(), workspace: place });
  expect(events.filter(({ type }) => type === 'step.placed')).toHaveLength(1);
});
