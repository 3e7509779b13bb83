import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from '@baton/agents/registry/registry';
import { type AgentEvent, sessionRecordSchema, taskRecordSchema } from '@baton/protocol';
import { appendRun, openStore, pauseTask, type Store } from '@baton/store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sessionRecord, taskRecord } from '../records/record-of.ts';
import { answerRequest } from './answer-request.ts';
import { changeSession } from './change-session.ts';
import { createSession } from './create-session.ts';
import { narrowTask } from './narrow-task.ts';
import { editPrompt, queuePrompt } from './queue-prompt.ts';
import { clearQueue, resumeQueue } from './session-queue.ts';
import { steerTask } from './steer-task.ts';
import { endTask, stopTask } from './stop-task.ts';
import { widenTask } from './widen-task.ts';

const registry = new Registry();

let folder: string;
let store: Store;
let sessionId: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'baton-commands-'));
  store = await openStore({ url: join(folder, 'baton.db') });
  const session = await createSession(store, {
    by: 'u',
    cwd: '/workspace',
    backend: 'demo',
    permissionMode: 'ask',
  });
  sessionId = session.session_id;
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const statusOf = async (taskId: string) => (await store.records.tasks.get(taskId))?.status;

async function running(...said: object[]): Promise<string> {
  const taskId = await queuePrompt(store, sessionId, { prompt: 'Hi' });
  const claim = await store.queue.claim({
    executorId: 'e',
    daemonId: 'd',
    host: 'h',
    leaseMs: 1000,
    taskId,
  });
  const fence = claim?.lease.fence ?? 0;
  const events = said.map(
    (event, index) => ({ ...event, seq: index + 1, time: 1, runId: 'r' }) as AgentEvent,
  );
  await appendRun(store.log, { sessionId, taskId, fence, events });
  return taskId;
}

const ASKED = {
  type: 'permission.requested',
  requestId: 'p',
  tool: 'Bash',
  action: { type: 'command', command: 'ls' },
  scopes: ['once'],
};

describe('a paused task', () => {
  async function paused(): Promise<string> {
    const taskId = await running({ type: 'run.identified', nativeSessionId: 'n' }, ASKED);
    const lease = await store.leases.get(taskId);
    if (!lease) throw new Error('unreachable');
    expect(await pauseTask(store.log, lease, store.now())).toBe(true);
    return taskId;
  }

  test('is stopped at once, because nothing runs', async () => {
    const taskId = await paused();
    expect(await stopTask(store, sessionId, { taskId, by: 'u' })).toBe('cancelled');
    expect(await statusOf(taskId)).toBe('CANCELLED');
    const [request] = await store.records.requests.find({ where: { task_id: taskId } });
    expect(request?.status).toBe('resolved');
  });

  test('pauses the queue when it is stopped while other prompts are queued', async () => {
    const taskId = await paused();
    await queuePrompt(store, sessionId, { prompt: 'And then?' });
    await stopTask(store, sessionId, { taskId, by: 'u' });
    expect(await store.records.sessions.get(sessionId)).toMatchObject({ queue_paused: 1 });
  });

  test('ends when a denial stops the turn', async () => {
    const taskId = await paused();
    const answer = { decision: 'deny' as const, stop: true };
    await answerRequest(store, sessionId, { taskId, requestId: 'p', answer });
    expect(await statusOf(taskId)).toBe('CANCELLED');
  });

  test('cannot be steered', async () => {
    const steer = { taskId: await paused(), text: 'Hurry.' };
    await expect(steerTask({ store, registry }, sessionId, steer)).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  test('cannot be widened', async () => {
    const widening = { taskId: await paused(), mode: 'allow-all' as const };
    const widened = widenTask({ store, registry }, sessionId, widening);
    await expect(widened).rejects.toMatchObject({ code: 'conflict' });
  });

  test('is queued when its request is answered, and the next prompt waits behind it', async () => {
    const taskId = await paused();
    const behind = await queuePrompt(store, sessionId, { prompt: 'And then?' });
    const given = { taskId, requestId: 'p', answer: { decision: 'allow' as const } };
    expect(await answerRequest(store, sessionId, given)).toBe('accepted');
    expect(await answerRequest(store, sessionId, given)).toBe('late');
    expect([await statusOf(taskId), await statusOf(behind)]).toEqual(['QUEUED', 'QUEUED']);
    const claimant = { executorId: 'f', daemonId: 'd', host: 'h', leaseMs: 1000 };
    expect((await store.queue.claim(claimant))?.task.task_id).toBe(taskId);
  });
});

describe('a running task', () => {
  const eventsOf = async (type: string) =>
    (await store.log.read(sessionId, 0, 100)).events.filter((event) => event.type === type);

  test('gets a wider mode once, with the name of the user', async () => {
    const taskId = await running(ASKED);
    const widening = { taskId, mode: 'allow-all' as const, by: 'u' };
    await widenTask({ store, registry }, sessionId, widening);
    await widenTask({ store, registry }, sessionId, widening);
    expect(await store.records.tasks.get(taskId)).toMatchObject({ permission_mode: 'allow-all' });
    expect(await eventsOf('task.widened')).toMatchObject([
      { taskId, by: 'u', from: 'ask', permissionMode: 'allow-all' },
    ]);
    // The request stays open until its executor settles it.
    expect(await statusOf(taskId)).toBe('AWAITING_PERMISSION');
  });

  test('gets no stricter mode', async () => {
    const taskId = await running();
    await widenTask({ store, registry }, sessionId, { taskId, mode: 'auto' });
    const back = widenTask({ store, registry }, sessionId, { taskId, mode: 'ask' });
    await expect(back).rejects.toMatchObject({ code: 'conflict' });
  });

  test('keeps the mode that the person who started its executor has chosen', async () => {
    const taskId = await running();
    const lease = await store.leases.get(taskId);
    if (!lease) throw new Error('unreachable');
    await widenTask({ store, registry }, sessionId, { taskId, mode: 'auto' });
    await narrowTask(store, lease, { mode: 'ask' });
    const wider = widenTask({ store, registry }, sessionId, { taskId, mode: 'allow-all' });
    await expect(wider).rejects.toMatchObject({ code: 'forbidden' });
    expect(await store.records.tasks.get(taskId)).toMatchObject({ permission_mode: 'ask' });
  });

  test('whose agent cannot ask keeps its mode', async () => {
    await changeSession(store, sessionId, { changes: { backend: 'codex-sdk' } });
    const taskId = await running();
    const wider = widenTask({ store, registry }, sessionId, { taskId, mode: 'allow-all' });
    await expect(wider).rejects.toMatchObject({ code: 'capability_missing' });
  });

  test('cannot be widened before it runs, once it is being stopped, nor after its end', async () => {
    const refused = (taskId: string) =>
      expect(
        widenTask({ store, registry }, sessionId, { taskId, mode: 'allow-all' }),
      ).rejects.toMatchObject({
        code: 'conflict',
      });
    const taskId = await running();
    await refused(await queuePrompt(store, sessionId, { prompt: 'Later' }));
    await stopTask(store, sessionId, { taskId });
    await refused(taskId);
    await refused('none');
  });
});

describe('a session', () => {
  test('is shown in the form of its schema', async () => {
    const row = await store.records.sessions.get(sessionId);
    if (!row) throw new Error('unreachable');
    const record = sessionRecord(row);
    expect(sessionRecordSchema.parse(record)).toEqual(record);
    expect(record).toMatchObject({ cwd: '/workspace', created_by: 'u', archived: false });
  });

  test('needs a whole path', async () => {
    const wrong = { cwd: 'here', backend: 'demo', permissionMode: 'ask' as const };
    await expect(createSession(store, wrong)).rejects.toMatchObject({ code: 'usage' });
  });

  test('is changed, and accepts no prompt while it is archived', async () => {
    await changeSession(store, sessionId, { changes: { title: 'New', archived: true } });
    await expect(queuePrompt(store, sessionId, { prompt: 'Hi' })).rejects.toMatchObject({
      code: 'conflict',
    });
    await changeSession(store, sessionId, { changes: { archived: false } });
    await queuePrompt(store, sessionId, { prompt: 'Hi' });
    expect(await store.records.sessions.get(sessionId)).toMatchObject({
      title: 'New',
      archived: 0,
    });
  });

  test('is not archived before its tasks have ended', async () => {
    const archive = () => changeSession(store, sessionId, { changes: { archived: true } });
    await running(ASKED);
    await expect(archive()).rejects.toMatchObject({
      code: 'conflict',
      message: 'The session has a task that has not ended.',
      hint: 'Stop it, or wait until it has ended.',
    });
    const taskId = await queuePrompt(store, sessionId, { prompt: 'Hi' });
    await expect(archive()).rejects.toMatchObject({
      message: 'The session has 2 tasks that have not ended.',
    });
    await changeSession(store, sessionId, { changes: { title: 'New', archived: false } });
    await stopTask(store, sessionId, { taskId });
    await expect(archive()).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('a prompt', () => {
  test('waits as a task that is shown in the form of its schema', async () => {
    const taskId = await queuePrompt(store, sessionId, { prompt: 'Hi', options: { maxTurns: 3 } });
    const row = await store.records.tasks.get(taskId);
    if (!row) throw new Error('unreachable');
    const record = taskRecord(row);
    expect(taskRecordSchema.parse(record)).toEqual(record);
    expect(record).toMatchObject({ status: 'QUEUED', options: { maxTurns: 3 }, backend: 'demo' });
  });

  test.each(['', '  \n', 'a\0b'])('that makes no sense is refused: %j', async (prompt) => {
    await expect(queuePrompt(store, sessionId, { prompt })).rejects.toMatchObject({
      code: 'usage',
    });
  });

  test('can be changed until its turn comes', async () => {
    const taskId = await queuePrompt(store, sessionId, { prompt: 'Hi' });
    await editPrompt(store, sessionId, { taskId, prompt: 'Ho' });
    expect(await store.records.tasks.get(taskId)).toMatchObject({ full_prompt: 'Ho' });
    await store.queue.claim({ executorId: 'e', daemonId: 'd', host: 'h', leaseMs: 1000 });
    const late = editPrompt(store, sessionId, { taskId, prompt: 'Hey' });
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('a stop', () => {
  test('cancels a queued task immediately and permanently', async () => {
    const taskId = await queuePrompt(store, sessionId, { prompt: 'Hi' });
    expect(await stopTask(store, sessionId, { taskId })).toBe('cancelled');
    expect(await statusOf(taskId)).toBe('CANCELLED');
    expect(await stopTask(store, sessionId, { taskId })).toBe('ended');
  });

  test('is logged before a running task can see it, and only once', async () => {
    const taskId = await running({ type: 'run.started', backend: 'demo', cwd: '/' });
    expect(await stopTask(store, sessionId, { taskId, by: 'u' })).toBe('stopping');
    expect(await statusOf(taskId)).toBe('STOPPING');
    expect(await stopTask(store, sessionId, { taskId })).toBe('stopping');
    const { events } = await store.log.read(sessionId, 0, 100);
    expect(events.filter(({ type }) => type === 'stop.requested')).toHaveLength(1);
  });

  test('of a task that is not in the session is an error', async () => {
    await expect(stopTask(store, sessionId, { taskId: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('of a task whose executor is gone ends it, once', async () => {
    const taskId = await running(ASKED);
    const error = { code: 'interrupted', message: 'Gone.', retryable: false };
    expect(await endTask(store, sessionId, taskId, { outcome: 'failed', error })).toBe(true);
    expect(await endTask(store, sessionId, taskId, { outcome: 'failed', error })).toBe(false);
    expect(await statusOf(taskId)).toBe('FAILED');
  });
});

describe('the queue of a session', () => {
  const isPaused = async () => (await store.records.sessions.get(sessionId))?.queue_paused === 1;
  const queue = () => queuePrompt(store, sessionId, { prompt: 'Hi', by: 'u' });
  const claim = async () =>
    (await store.queue.claim({ executorId: 'e2', daemonId: 'd', host: 'h', leaseMs: 1000 }))?.task
      .task_id;
  /** A task that somebody stopped while so many others were queued. */
  const stopped = async (others: number) => {
    const taskId = await running();
    const queued = [];
    for (let n = 0; n < others; n++) queued.push(await queue());
    await stopTask(store, sessionId, { taskId, by: 'u' });
    await endTask(store, sessionId, taskId, { outcome: 'cancelled' });
    return queued;
  };

  test('is paused when the running task is stopped', async () => {
    await stopped(2);
    expect(await isPaused()).toBe(true);
    expect(await claim()).toBeUndefined();
    expect(await store.queue.isWaiting()).toBe(false);
  });

  test('is not paused when nothing is queued', async () => {
    await stopped(0);
    expect(await isPaused()).toBe(false);
    const taskId = await queue();
    expect(await claim()).toBe(taskId);
  });

  test('is not paused by a stop of Baton itself', async () => {
    const taskId = await running();
    await queue();
    await stopTask(store, sessionId, { taskId });
    expect(await isPaused()).toBe(false);
  });

  test('is not paused when a queued task is cancelled', async () => {
    await running();
    const [taskId] = [await queue(), await queue()];
    await stopTask(store, sessionId, { taskId, by: 'u' });
    expect(await isPaused()).toBe(false);
  });

  test('continues in order when it is resumed', async () => {
    const [first] = await stopped(2);
    await resumeQueue(store, sessionId, { by: 'u' });
    await resumeQueue(store, sessionId, { by: 'u' });
    expect(await isPaused()).toBe(false);
    expect(await claim()).toBe(first);
    const { events } = await store.log.read(sessionId, 0, 100);
    expect(events.filter(({ type }) => type === 'queue.resumed')).toHaveLength(1);
  });

  test('stays paused when a prompt is queued behind others', async () => {
    await stopped(1);
    await queue();
    expect(await isPaused()).toBe(true);
  });

  test('is cleared of all queued tasks, and continues with the next prompt', async () => {
    const queued = await stopped(2);
    expect(await clearQueue(store, sessionId, { by: 'u' })).toEqual(queued);
    for (const taskId of queued) expect(await statusOf(taskId)).toBe('CANCELLED');
    expect(await isPaused()).toBe(false);
    const next = await queue();
    expect(await claim()).toBe(next);
  });

  test('is no longer paused when its last queued task is cancelled', async () => {
    for (const taskId of await stopped(2)) {
      expect(await isPaused()).toBe(true);
      await stopTask(store, sessionId, { taskId, by: 'u' });
    }
    expect(await isPaused()).toBe(false);
  });
});

describe('an answer', () => {
  test('is accepted once; the second one comes late', async () => {
    const taskId = await running(ASKED);
    const given = { taskId, requestId: 'p', answer: { decision: 'allow' as const }, by: 'u' };
    expect(await answerRequest(store, sessionId, given)).toBe('accepted');
    expect(await answerRequest(store, sessionId, given)).toBe('late');
    const [request] = await store.records.requests.find({ where: { task_id: taskId } });
    expect(request).toMatchObject({ status: 'answered', answered_by: 'u' });
  });

  test('to a task that has ended comes late', async () => {
    const taskId = await running(ASKED);
    await endTask(store, sessionId, taskId, { outcome: 'cancelled' });
    const given = { taskId, requestId: 'p', answer: { decision: 'allow' as const } };
    expect(await answerRequest(store, sessionId, given)).toBe('late');
  });

  test('that does not fit is refused, and the request still waits', async () => {
    const taskId = await running(ASKED);
    const given = {
      taskId,
      requestId: 'p',
      answer: { decision: 'allow' as const, input: { command: 'rm x' } },
    };
    await expect(answerRequest(store, sessionId, given)).rejects.toMatchObject({ code: 'usage' });
    expect(await store.records.requests.count({ status: 'pending' })).toBe(1);
  });

  test('to nothing that was asked is an error', async () => {
    const taskId = await running(ASKED);
    const given = { taskId, requestId: 'q', answer: { decision: 'allow' as const } };
    await expect(answerRequest(store, sessionId, given)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
