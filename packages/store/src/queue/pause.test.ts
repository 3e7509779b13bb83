import { expect, test } from 'vitest';
import type { Said } from '../log/run-events.ts';
import type { Store } from '../open-store.ts';
import { onBothEngines } from '../testing/engines.ts';
import { claimNext, DONE, newSession, queuePrompt, STARTED, TestRun } from '../testing/session.ts';
import { pauseTask, resumingBy } from './pause.ts';
import { requeueTask } from './requeue.ts';

const IDENTIFIED = { type: 'run.identified', nativeSessionId: 'native' } as const satisfies Said;

function asked(requestId: string): Said {
  return {
    type: 'permission.requested',
    requestId,
    tool: 'Bash',
    action: { type: 'command', command: `echo ${requestId}` },
    scopes: ['once'],
  };
}

const TOOL = {
  type: 'tool.started',
  callId: 'c',
  name: 'Bash',
  action: { type: 'command', command: 'ls' },
} as const satisfies Said;

/** A task whose agent has said this, and its executor is gone. */
async function lost(store: Store, ...said: Said[]) {
  const sessionId = await newSession(store);
  const taskId = await queuePrompt(store, sessionId);
  const claim = await claimNext(store);
  if (!claim) throw new Error('unreachable');
  await store.leases.startAgent(taskId, claim.lease.fence);
  await new TestRun(store, claim).say(STARTED, ...said);
  return { sessionId, taskId, lease: claim.lease };
}

/** Answers a request of a paused task. */
async function answer(store: Store, sessionId: string, taskId: string, requestId: string) {
  const given = { requestId, answer: { decision: 'allow' as const } };
  await store.log.append(sessionId, (state) => {
    const task = state.tasks.get(taskId);
    if (!task) throw new Error('unreachable');
    const drafts = resumingBy(state, task, given, 1);
    return { drafts: [{ type: 'answer.given', taskId, ...given }, ...drafts], result: undefined };
  });
}

onBothEngines('a task whose agent is gone while it waits', (engine) => {
  test('keeps its requests, ends what was open, and frees its executor', async () => {
    const store = await engine.open();
    const { sessionId, taskId, lease } = await lost(store, IDENTIFIED, TOOL, asked('a'));
    expect(await pauseTask(store.log, lease, 1)).toBe(true);
    expect(await store.records.tasks.get(taskId)).toMatchObject({
      status: 'AWAITING_PERMISSION',
      executor_id: null,
      pending_requests: 1,
      completed_at: null,
    });
    expect(await store.leases.get(taskId)).toBeUndefined();
    const [request] = await store.records.requests.find({ where: { task_id: taskId } });
    expect(request?.status).toBe('pending');
    const entries = await store.entries(sessionId, { taskId, limit: 100 });
    expect(entries.find(({ kind }) => kind === 'tool')).toMatchObject({ outcome: 'cancelled' });
    expect(entries.find(({ kind }) => kind === 'permission')).toMatchObject({ open: true });
    expect(await claimNext(store)).toBeUndefined();
  });

  test('is queued in its old place once every request is answered, and continues its run', async () => {
    const store = await engine.open();
    const { sessionId, taskId, lease } = await lost(store, IDENTIFIED, asked('a'), asked('b'));
    const behind = await queuePrompt(store, sessionId);
    await pauseTask(store.log, lease, 1);
    await answer(store, sessionId, taskId, 'b');
    expect(await claimNext(store)).toBeUndefined();
    await answer(store, sessionId, taskId, 'a');
    const claim = await claimNext(store);
    expect(claim?.task).toMatchObject({
      task_id: taskId,
      resumed_with: '["a","b"]',
      pending_requests: 0,
    });
    if (!claim) throw new Error('unreachable');
    const run = new TestRun(store, claim);
    // The executor continues the numbers: 4 events of the agent, and two settled requests.
    run.next(...Array.from({ length: 6 }, () => STARTED));
    expect(await run.say(DONE)).toEqual({ lastSeq: 7 });
    expect(await store.records.tasks.get(taskId)).toMatchObject({ status: 'COMPLETED' });
    expect((await claimNext(store))?.task.task_id).toBe(behind);
  });

  test('is not for executors that cannot resume a task', async () => {
    const store = await engine.open();
    const { sessionId, taskId, lease } = await lost(store, IDENTIFIED, asked('a'));
    await pauseTask(store.log, lease, 1);
    await answer(store, sessionId, taskId, 'a');
    const claimant = { executorId: 'old', daemonId: 'd', host: 'h', leaseMs: 60_000 };
    expect(await store.queue.claim({ ...claimant, onlyNew: true })).toBeUndefined();
    expect((await store.queue.claim(claimant))?.task.task_id).toBe(taskId);
  });

  test('is queued again when its next executor ends before the agent has resumed', async () => {
    const store = await engine.open();
    const { sessionId, taskId, lease } = await lost(store, IDENTIFIED, asked('a'));
    await pauseTask(store.log, lease, 1);
    await answer(store, sessionId, taskId, 'a');
    const claim = await claimNext(store);
    if (!claim) throw new Error('unreachable');
    expect(await requeueTask(store.log, claim.lease, { hadExecutor: true })).toBe('requeued');
    expect((await claimNext(store))?.task.task_id).toBe(taskId);
  });

  test.each<[string, Said[]]>([
    ['the agent has not named its session', [asked('a')]],
    ['nothing waits', [IDENTIFIED, TOOL]],
  ])('is not paused when %s', async (_name, said) => {
    const store = await engine.open();
    const { taskId, lease } = await lost(store, ...said);
    expect(await pauseTask(store.log, lease, 1)).toBe(false);
    expect(await store.leases.get(taskId)).toBeDefined();
  });

  test('is not paused when an answer may have reached the agent', async () => {
    const store = await engine.open();
    const { sessionId, taskId, lease } = await lost(store, IDENTIFIED, asked('a'), asked('b'));
    await store.log.append(sessionId, () => ({
      drafts: [{ type: 'answer.given', taskId, requestId: 'a', answer: { decision: 'allow' } }],
      result: undefined,
    }));
    expect(await pauseTask(store.log, lease, 1)).toBe(false);
  });

  test('is not paused by a daemon whose lease another executor has taken', async () => {
    const store = await engine.open();
    const { lease } = await lost(store, IDENTIFIED, asked('a'));
    expect(await pauseTask(store.log, { ...lease, fence: lease.fence - 1 }, 1)).toBe(false);
  });
});
