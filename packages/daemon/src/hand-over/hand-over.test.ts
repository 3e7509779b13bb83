import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from '@baton/agents/registry/registry';
import type { AgentEvent, Entry, WorkspaceRecord } from '@baton/protocol';
import { appendRun, openStore, type Store } from '@baton/store';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeSession } from '../commands/change-session.ts';
import { createSession } from '../commands/create-session.ts';
import { forkSession } from '../commands/fork-session.ts';
import { queuePrompt } from '../commands/queue-prompt.ts';
import { handOver } from './hand-over.ts';
import { originOf } from './origin-of.ts';

const common = { key: 'k', cursor: 1, through: 1, time: 0, open: false };
const prompt = (text: string): Entry => ({ ...common, kind: 'prompt', text, backend: 'demo' });
const said = (text: string): Entry => ({ ...common, kind: 'text', text });
const did = (command: string, exitCode = 0): Entry => ({
  ...common,
  kind: 'tool',
  name: 'shell',
  action: { type: 'command', command, exitCode },
  output: 'much output',
});

const WORKTREE: WorkspaceRecord = {
  workspace_id: 'ws_1',
  kind: 'worktree',
  state: 'setting_up',
  host: 'here',
  repository: '/projects/app',
  path: '/worktrees/app/copy',
  cwd: '/worktrees/app/copy',
  branch: 'baton/copy',
  base_ref: 'main',
  base_commit: null,
  session_id: null,
  created_by: null,
  created_at: '',
  used_at: '',
  ports: {},
  setup: null,
  removed: null,
  problem: null,
};

describe('a hand-over', () => {
  const cwd = '/projects';

  test('has an abridged transcript', () => {
    const thinking: Entry = { ...common, kind: 'thinking', text: 'Hm.' };
    const entries = [prompt('Fix it.'), thinking, did('npm test', 1), said('It is broken.')];
    const text = handOver(entries, { maxLength: 10_000, cwd });
    expect(text).toContain('User: Fix it.\n\n[$ npm test: exit code 1]\n\nAgent: It is broken.');
    expect(text).not.toContain('Hm.');
    expect(text).not.toContain('much output');
  });

  test('is not needed where no agent has done anything', () => {
    expect(handOver([], { maxLength: 1000, cwd })).toBeUndefined();
    expect(handOver([prompt('Hi')], { maxLength: 1000, cwd })).toBeUndefined();
  });

  test('is never longer than it may be, and has the first prompt and the end', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 300 }), { minLength: 1 }), (texts) => {
        const entries = [
          prompt('The first.'),
          ...texts.map((text) => said(text)),
          said('The end.'),
        ];
        const text = handOver(entries, { maxLength: 1000, cwd }) ?? '';
        expect(text.length).toBeLessThanOrEqual(1000);
        expect(text).toContain('User: The first.');
        expect(text).toContain('Agent: The end.');
      }),
    );
  });
});

describe('a task continues', () => {
  let folder: string;
  let store: Store;
  let sessionId: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'baton-origin-'));
    store = await openStore({ url: join(folder, 'baton.db') });
    const session = { cwd: '/projects', backend: 'demo', permissionMode: 'ask' as const };
    sessionId = (await createSession(store, session)).session_id;
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  /** Runs a prompt to its end, with an answer. */
  async function done(id: string, words: string, more: object = {}): Promise<string> {
    const taskId = await queuePrompt(store, id, { prompt: words });
    const claimant = { executorId: 'e', daemonId: 'd', host: 'h', leaseMs: 1000, taskId };
    const claim = await store.queue.claim(claimant);
    const events = [
      { type: 'run.started', backend: claim?.task.backend, transport: 't', cwd: '/projects' },
      { type: 'run.identified', nativeSessionId: `native of ${words}` },
      { type: 'message.completed', messageId: 'm', kind: 'text', text: `Done: ${words}` },
      { type: 'run.completed', outcome: 'done', output: '', durationMs: 1, ...more },
    ].map((event, index) => ({ ...event, seq: index + 1, time: 1, runId: words }) as AgentEvent);
    const fence = claim?.lease.fence ?? 0;
    await appendRun(store.log, { sessionId: id, taskId, fence, events });
    return taskId;
  }

  async function origin(id: string) {
    const taskId = await queuePrompt(store, id, { prompt: 'Next' });
    const session = await store.records.sessions.get(id);
    const task = await store.records.tasks.get(taskId);
    if (!session || !task) throw new Error('unreachable');
    return originOf({ store, registry: new Registry() }, session, task);
  }

  test('from nothing at the beginning', async () => {
    expect(await origin(sessionId)).toEqual({ resume: null, fork: false, handOver: null });
  });

  test("in the agent's own session", async () => {
    await done(sessionId, 'A');
    expect(await origin(sessionId)).toEqual({
      resume: 'native of A',
      fork: false,
      handOver: null,
    });
  });

  test('with a hand-over after a change of the agent, which does not keep its model', async () => {
    await changeSession(store, sessionId, { changes: { model: 'x' } });
    await done(sessionId, 'A');
    await changeSession(store, sessionId, { changes: { backend: 'codex' } });
    expect(await store.records.sessions.get(sessionId)).toMatchObject({ model: null });
    const { resume, handOver: text } = await origin(sessionId);
    expect(resume).toBeNull();
    expect(text).toContain('User: A\n\nAgent: Done: A');
    expect(text).not.toContain('Next');
  });

  test('with a hand-over when the agent has lost its session', async () => {
    await done(sessionId, 'A');
    const error = { code: 'session_not_found', message: 'Gone.', retryable: false };
    await done(sessionId, 'B', { outcome: 'failed', error });
    const { resume, handOver: text } = await origin(sessionId);
    expect(resume).toBeNull();
    expect(text).toContain('Agent: Done: A');
  });

  test("in a copy of the agent's session after a fork", async () => {
    await done(sessionId, 'A');
    const fork = await forkSession(store, { sessionId });
    expect(await origin(fork.session_id)).toEqual({
      resume: 'native of A',
      fork: true,
      handOver: null,
    });
    const again = await forkSession(store, { sessionId: fork.session_id });
    expect(await origin(again.session_id)).toMatchObject({ resume: 'native of A', fork: true });
  });

  test('with a hand-over after a fork into another folder', async () => {
    await done(sessionId, 'A');
    const fork = await forkSession(store, { sessionId, workspace: WORKTREE });
    expect(fork.cwd).toBe(WORKTREE.cwd);
    const { resume, handOver: text } = await origin(fork.session_id);
    expect(resume).toBeNull();
    expect(text).toContain('Agent: Done: A');
  });

  test('with a hand-over after a fork from an earlier prompt', async () => {
    await done(sessionId, 'A');
    const before = await done(sessionId, 'B');
    const fork = await forkSession(store, { sessionId, before });
    const { resume, handOver: text } = await origin(fork.session_id);
    expect(resume).toBeNull();
    expect(text).toContain('Done: A');
    expect(text).not.toContain('Done: B');
  });

  test('from nothing after a fork from the first prompt', async () => {
    const before = await done(sessionId, 'A');
    const fork = await forkSession(store, { sessionId, before });
    expect(await origin(fork.session_id)).toEqual({ resume: null, fork: false, handOver: null });
  });

  test('with the settings of the session that was copied', async () => {
    const requestPolicy = { afterMs: 5, action: 'deny' as const };
    await changeSession(store, sessionId, { changes: { model: 'x', requestPolicy } });
    const fork = await forkSession(store, { sessionId });
    expect(fork).toMatchObject({ model: 'x', request_policy: JSON.stringify(requestPolicy) });
    await expect(forkSession(store, { sessionId, before: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
