import { randomUUID } from 'node:crypto';
import type { AgentEvent } from '@baton/protocol';
import { appendRun, type Said } from '../log/run-events.ts';
import type { Store } from '../open-store.ts';
import type { Claim } from '../queue/claim.ts';

/** Begins a session. */
export async function newSession(store: Store, title = 'A session'): Promise<string> {
  const sessionId = randomUUID();
  await store.log.create(sessionId, [
    {
      type: 'session.created',
      cwd: '/workspace',
      backend: 'demo',
      permissionMode: 'ask',
      title,
    },
  ]);
  return sessionId;
}

/** Puts a prompt into the queue of a session. */
export async function queuePrompt(
  store: Store,
  sessionId: string,
  prompt = 'Hi',
  backend = 'demo',
  model?: string,
): Promise<string> {
  const taskId = randomUUID();
  const queued = { type: 'prompt.queued', taskId, prompt, backend, model } as const;
  await store.log.append(sessionId, () => ({
    drafts: [{ ...queued, permissionMode: 'ask' as const }],
    result: undefined,
  }));
  return taskId;
}

/** Takes the next task of the queue. */
export function claimNext(store: Store, taskId?: string): Promise<Claim | undefined> {
  return store.queue.claim({
    executorId: randomUUID(),
    daemonId: 'd',
    host: 'h',
    leaseMs: 60_000,
    taskId,
  });
}

/** A task that an executor has taken, and a way to report what its agent says. */
export class TestRun {
  readonly sessionId: string;
  readonly taskId: string;
  readonly fence: number;
  readonly events: AgentEvent[] = [];
  #store: Store;

  constructor(store: Store, { task, lease }: Claim) {
    this.#store = store;
    this.sessionId = task.session_id;
    this.taskId = task.task_id;
    this.fence = lease.fence;
  }

  /** Gives what the agent says its numbers, without reporting it. */
  next(...said: Said[]): AgentEvent[] {
    const events = said.map(
      (event, index) =>
        ({
          ...event,
          seq: this.events.length + 1 + index,
          time: 1,
          runId: `run of ${this.taskId}`,
        }) as AgentEvent,
    );
    this.events.push(...events);
    return events;
  }

  /** Reports events as an executor does. */
  send(events: readonly AgentEvent[], store = this.#store): Promise<{ lastSeq: number }> {
    const { sessionId, taskId, fence } = this;
    return appendRun(store.log, { sessionId, taskId, fence, events });
  }

  /** Lets the agent say something and reports it. */
  say(...said: Said[]): Promise<{ lastSeq: number }> {
    return this.send(this.next(...said));
  }
}

/** A session with one task that runs. */
export async function startedRun(store: Store): Promise<TestRun> {
  const sessionId = await newSession(store);
  return claimedRun(store, await queuePrompt(store, sessionId));
}

/** A task of the queue that runs. */
export async function claimedRun(store: Store, taskId: string): Promise<TestRun> {
  const claim = await claimNext(store, taskId);
  if (!claim) throw new Error('The task was not there to be claimed.');
  return new TestRun(store, claim);
}

export const STARTED = {
  type: 'run.started',
  backend: 'demo',
  transport: 'live',
  cwd: '/',
} as const satisfies Said;
export const DONE = {
  type: 'run.completed',
  outcome: 'done',
  output: 'ok',
  durationMs: 1,
} as const satisfies Said;

/** A message in pieces, from its beginning to its end. */
export function message(id: string, ...pieces: string[]): Said[] {
  return [
    { type: 'message.started', messageId: id, kind: 'text' },
    ...pieces.map((text): Said => ({ type: 'message.delta', messageId: id, kind: 'text', text })),
    { type: 'message.completed', messageId: id, kind: 'text', text: pieces.join('') },
  ];
}
