import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBaton } from '@baton/agents/registry/create-baton';
import type { AgentEvent, RequestPolicy } from '@baton/protocol';
import { appendRun, openStore, pauseTask, type Store } from '@baton/store';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { answerRequest } from '../commands/answer-request.ts';
import { changeSession } from '../commands/change-session.ts';
import { createSession } from '../commands/create-session.ts';
import { queuePrompt } from '../commands/queue-prompt.ts';
import { RequestKeeper } from './request-keeper.ts';

const baton = await createBaton({ settings: 'none' });

let folder: string;
let store: Store;
let keeper: RequestKeeper;
let sessionId: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'baton-keeper-'));
  store = await openStore({ url: join(folder, 'baton.db') });
  keeper = newKeeper();
  sessionId = await newSession();
});
afterEach(async () => {
  await keeper.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

function newKeeper(): RequestKeeper {
  return new RequestKeeper({ baton, store, log: pino({ level: 'silent' }), leaseMs: 60_000 });
}

async function newSession(): Promise<string> {
  const session = { cwd: '/workspace', backend: 'demo', permissionMode: 'ask' as const };
  return (await createSession(store, session)).session_id;
}

const PERMISSION = {
  type: 'permission.requested',
  requestId: 'p',
  tool: 'Bash',
  action: { type: 'command', command: 'ls' },
  scopes: ['once'],
};
const QUESTION = { type: 'question.requested', requestId: 'q', questions: [] };

/** A task of a session whose agent asks something. */
async function asking(asked: object, session = sessionId): Promise<string> {
  const taskId = await queuePrompt(store, session, { prompt: 'Hi' });
  const claimant = { executorId: 'e', daemonId: 'd', host: 'h', leaseMs: 60_000, taskId };
  const fence = (await store.queue.claim(claimant))?.lease.fence ?? 0;
  const events = [{ ...asked, seq: 1, time: store.now(), runId: 'r' } as AgentEvent];
  await appendRun(store.log, { sessionId: session, taskId, fence, events });
  return taskId;
}

async function requestOf(taskId: string) {
  const [row] = await store.records.requests.find({ where: { task_id: taskId } });
  return { status: row?.status, answer: row?.answer ? JSON.parse(row.answer) : undefined };
}

const setPolicy = (requestPolicy: RequestPolicy | null) =>
  changeSession(store, sessionId, { changes: { requestPolicy } });

describe('a request that a rule is for', () => {
  const allowed = { status: 'answered', answer: { decision: 'allow', by: 'policy' } };

  test('is settled at once', async () => {
    const first = await asking(PERMISSION);
    const answer = { decision: 'allow' as const, scope: 'always' as const };
    const given = { taskId: first, requestId: 'p', answer, by: 'u' };
    expect(await answerRequest(store, sessionId, given)).toBe('accepted');
    const second = await asking(PERMISSION, await newSession());
    await vi.waitFor(async () => expect(await requestOf(second)).toEqual(allowed));
    const other = { ...PERMISSION, action: { type: 'command', command: 'rm x' } };
    const third = await asking(other, await newSession());
    await keeper.lookAtAll();
    expect(await requestOf(third)).toMatchObject({ status: 'pending' });
  });

  test('is settled although it was asked before there was the rule', async () => {
    const first = await asking(PERMISSION);
    const second = await asking(PERMISSION, await newSession());
    const answer = { decision: 'allow' as const, scope: 'always' as const };
    await answerRequest(store, sessionId, { taskId: first, requestId: 'p', answer });
    await keeper.lookAtAll();
    expect(await requestOf(second)).toEqual(allowed);
  });

  test('may be denied', async () => {
    await store.records.rules.insert({
      rule_id: 'x',
      session_id: null,
      folder: '/workspace',
      tool: 'Bash',
      pattern: 'l*',
      decision: 'deny',
      created_by: null,
      created_at: 0,
    });
    const task = await asking(PERMISSION);
    await vi.waitFor(async () =>
      expect((await requestOf(task)).answer).toMatchObject({ decision: 'deny', by: 'policy' }),
    );
  });
});

describe('a request of a task that was paused', () => {
  const OTHER = { ...PERMISSION, action: { type: 'command', command: 'rm x' } };
  const EDIT = {
    ...PERMISSION,
    tool: 'Write',
    action: { type: 'file.edit', changes: [{ path: 'a.txt', kind: 'update' }] },
    input: { content: 'one' },
  };

  /** A task that was paused with these requests, has their answers, and runs again. */
  async function resumed(...asked: { requestId: string }[]) {
    const taskId = await queuePrompt(store, sessionId, { prompt: 'Hi' });
    const claimant = { executorId: 'e', daemonId: 'd', host: 'h', leaseMs: 60_000, taskId };
    const claim = await store.queue.claim(claimant);
    if (!claim) throw new Error('unreachable');
    let seq = 0;
    const say = (fence: number, ...said: object[]) => {
      const events = said.map((event) => {
        seq += 1;
        return { ...event, seq, time: store.now(), runId: 'r' } as AgentEvent;
      });
      return appendRun(store.log, { sessionId, taskId, fence, events });
    };
    await say(claim.lease.fence, { type: 'run.identified', nativeSessionId: 'n' }, ...asked);
    expect(await pauseTask(store.log, claim.lease, store.now())).toBe(true);
    for (const { requestId } of asked) {
      const given = { taskId, requestId, answer: { decision: 'allow' as const }, by: 'u' };
      expect(await answerRequest(store, sessionId, given)).toBe('accepted');
      seq += 1;
    }
    const fence = (await store.queue.claim({ ...claimant, executorId: 'f' }))?.lease.fence ?? 0;
    return {
      ask: (request: object, requestId: string) => say(fence, { ...request, requestId }),
      answerTo: async (requestId: string) => {
        const where = { task_id: taskId, request_id: requestId };
        const [row] = await store.records.requests.find({ where });
        return row?.answer ? { ...JSON.parse(row.answer), user: row.answered_by } : undefined;
      },
    };
  }

  const ALLOWED = { decision: 'allow', user: 'u' };

  test('has the answer that was given meanwhile, once', async () => {
    const { ask, answerTo } = await resumed(PERMISSION);
    const inOtherWords = { ...PERMISSION, input: { description: 'in other words' } };
    await ask(inOtherWords, '7.p');
    await vi.waitFor(async () => expect(await answerTo('7.p')).toEqual(ALLOWED));
    await ask(PERMISSION, '8.p');
    await keeper.lookAtAll();
    expect(await answerTo('8.p')).toBeUndefined();
  });

  test('needs its own answer when it is about something else', async () => {
    const { ask, answerTo } = await resumed(PERMISSION, { ...EDIT, requestId: 'e' });
    await ask(OTHER, '7.o');
    await ask({ ...EDIT, input: { content: 'two' } }, '7.e');
    await ask({ ...PERMISSION, tool: 'Shell' }, '7.t');
    await keeper.lookAtAll();
    for (const id of ['7.o', '7.e', '7.t']) expect(await answerTo(id)).toBeUndefined();
  });
});

describe('a request that is not answered in time', () => {
  test('is denied, with the reason', async () => {
    await setPolicy({ afterMs: 30, action: 'deny' });
    const task = await asking(PERMISSION);
    await vi.waitFor(async () =>
      expect((await requestOf(task)).answer).toMatchObject({ decision: 'deny', by: 'timeout' }),
    );
  });

  test('is allowed', async () => {
    await setPolicy({ afterMs: 30, action: 'allow' });
    const task = await asking(PERMISSION);
    await vi.waitFor(async () =>
      expect((await requestOf(task)).answer).toEqual({ decision: 'allow', by: 'timeout' }),
    );
  });

  test('stops its task', async () => {
    await setPolicy({ afterMs: 30, action: 'stop' });
    const task = await asking(PERMISSION);
    await vi.waitFor(async () =>
      expect((await store.records.tasks.get(task))?.status).toBe('STOPPING'),
    );
  });

  test.each(['deny', 'allow'] as const)(
    'is declined when it is a question (%s)',
    async (action) => {
      await setPolicy({ afterMs: 30, action });
      const task = await asking(QUESTION);
      await vi.waitFor(async () =>
        expect((await requestOf(task)).answer).toMatchObject({ declined: true, by: 'timeout' }),
      );
    },
  );

  test('is settled by a policy that came later, and by a daemon that was started later', async () => {
    const task = await asking(PERMISSION);
    await keeper.close();
    await setPolicy({ afterMs: 1, action: 'deny' });
    await keeper.lookAtAll();
    keeper = newKeeper();
    await keeper.lookAtAll();
    expect((await requestOf(task)).answer).toMatchObject({ decision: 'deny' });
  });

  test('waits without a policy, and an answer before the time is up counts', async () => {
    const task = await asking(PERMISSION);
    await setPolicy({ afterMs: 600_000, action: 'deny' });
    await setPolicy(null);
    await keeper.lookAtAll();
    expect(await requestOf(task)).toMatchObject({ status: 'pending' });
    const given = { taskId: task, requestId: 'p', answer: { decision: 'allow' as const } };
    expect(await answerRequest(store, sessionId, given)).toBe('accepted');
  });
});

test('an edited input can only be allowed once', async () => {
  const taskId = await asking({ ...PERMISSION, editable: true });
  const answer = { decision: 'allow' as const, scope: 'always' as const, input: { command: 'x' } };
  const given = { taskId, requestId: 'p', answer };
  await expect(answerRequest(store, sessionId, given)).rejects.toMatchObject({ code: 'usage' });
  expect(await store.records.rules.count()).toBe(0);
  const once = { ...given, answer: { ...answer, scope: 'once' as const } };
  expect(await answerRequest(store, sessionId, once)).toBe('accepted');
});

test('a pattern needs an answer for longer than once', async () => {
  const taskId = await asking(PERMISSION);
  const answer = { decision: 'allow' as const };
  const given = { taskId, requestId: 'p', answer, pattern: '*' };
  await expect(answerRequest(store, sessionId, given)).rejects.toMatchObject({ code: 'usage' });
  expect(await store.records.rules.count()).toBe(0);
});
