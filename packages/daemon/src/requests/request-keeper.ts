import { loadSettings } from '@baton/config/settings';
import {
  type LogEvent,
  longTimer,
  type PermissionRequest,
  type QuestionAnswer,
  type RequestAnswer,
  type RequestPolicy,
} from '@baton/protocol';
import type { RequestRow, SessionMoved, SessionRow } from '@baton/store';
import { answerRequest } from '../commands/answer-request.ts';
import { stopTask } from '../commands/stop-task.ts';
import type { DaemonContext } from '../context.ts';
import { decide } from '../rules/decide.ts';
import { carriedAnswer } from './carried-answer.ts';

type KeeperContext = Pick<DaemonContext, 'baton' | 'store' | 'log' | 'leaseMs'>;

/** Settles requests without a user: by a rule immediately, and by the policy of their session after its timeout. */
export class RequestKeeper {
  #context: KeeperContext;
  #timers = new Map<string, NodeJS.Timeout>();
  #tick: NodeJS.Timeout;
  #looking: Promise<void> = Promise.resolve();
  #onSession = (moved: SessionMoved) => this.#moved(moved);

  constructor(context: KeeperContext) {
    this.#context = context;
    context.store.wakeUps.on('session', this.#onSession);
    // Requests that another daemon was told of, which may be gone by now.
    this.#tick = setInterval(() => void this.lookAtAll(), context.leaseMs / 3);
  }

  /** Checks every pending request: there is a new rule, or a new daemon. */
  async lookAtAll(): Promise<void> {
    const { store } = this.#context;
    await this.#look(() => store.records.requests.find({ where: { status: 'pending' } }));
  }

  async close(): Promise<void> {
    this.#context.store.wakeUps.off('session', this.#onSession);
    clearInterval(this.#tick);
    // The last look may set timers too.
    await this.#looking;
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  #moved({ sessionId, events = [] }: SessionMoved): void {
    if (!events.some(isOfInterest)) return;
    const where = { session_id: sessionId, status: 'pending' };
    void this.#look(() => this.#context.store.records.requests.find({ where }));
  }

  /** Runs the checks one after another, so that none sees a request that an earlier one is about to settle. */
  #look(find: () => Promise<RequestRow[]>): Promise<void> {
    this.#looking = this.#looking.then(async () => {
      const rows = await find().catch((error) => this.#complain(error));
      // One that makes no sense must not keep the others waiting.
      for (const row of rows ?? []) {
        await this.#consider(row).catch((error) => this.#complain(error));
      }
    });
    return this.#looking;
  }

  #complain(error: unknown): undefined {
    this.#context.log.warn({ err: error }, 'Could not check pending requests.');
  }

  async #consider(row: RequestRow): Promise<void> {
    const { store } = this.#context;
    const session = await store.records.sessions.get(row.session_id);
    if (!session) return;
    const carried = await carriedAnswer(store, row);
    if (carried) return this.#answer(row, carried.answer, carried.by);
    if (row.kind === 'permission' && (await this.#settledByRule(row, session))) return;
    const policy = session.request_policy && (JSON.parse(session.request_policy) as RequestPolicy);
    if (!policy) return;
    const waitMs = row.asked_at + policy.afterMs - store.now();
    if (waitMs <= 0) await this.#settleByPolicy(row, policy);
    else this.#lookLater(row, waitMs);
  }

  /** Paths that are protected in addition to the built-in list: the settings of agents, and those of the user. */
  #protectedPaths(cwd: string): readonly string[] {
    const settings = loadSettings({ program: 'baton', cwd, onProblem: () => {} });
    return this.#context.baton.withSettings(settings).protectedPaths();
  }

  async #settledByRule(row: RequestRow, session: SessionRow): Promise<boolean> {
    const request = JSON.parse(row.request) as PermissionRequest;
    const rules = await this.#context.store.records.rules.find({ where: { tool: request.tool } });
    const decision = decide(rules, request, session, this.#protectedPaths(session.cwd));
    if (!decision) return false;
    const reason = 'Decided by a rule.';
    await this.#answer(
      row,
      decision === 'allow' ? { decision, by: 'policy' } : { decision, reason, by: 'policy' },
    );
    return true;
  }

  async #settleByPolicy(row: RequestRow, { action, afterMs }: RequestPolicy): Promise<void> {
    const reason = `No answer within ${Math.round(afterMs / 1000)} s.`;
    if (action === 'stop') {
      await stopTask(this.#context.store, row.session_id, { taskId: row.task_id, reason });
      return;
    }
    // A question cannot be answered on behalf of the user.
    const declined: QuestionAnswer = { declined: true, reason, by: 'timeout' };
    if (row.kind === 'question') await this.#answer(row, declined);
    else if (action === 'allow') await this.#answer(row, { decision: 'allow', by: 'timeout' });
    else await this.#answer(row, { decision: 'deny', reason, by: 'timeout' });
  }

  async #answer(row: RequestRow, answer: RequestAnswer, by?: string): Promise<void> {
    const { session_id, task_id: taskId, request_id: requestId } = row;
    await answerRequest(this.#context.store, session_id, { taskId, requestId, answer, by });
  }

  #lookLater(row: RequestRow, waitMs: number): void {
    const key = `${row.task_id} ${row.request_id}`;
    clearTimeout(this.#timers.get(key));
    const later = () => {
      this.#timers.delete(key);
      const { session_id, task_id, request_id } = row;
      const where = { session_id, task_id, request_id, status: 'pending' };
      void this.#look(() => this.#context.store.records.requests.find({ where }));
    };
    // A deadline beyond the longest delay of a timer is checked again before it is due.
    this.#timers.set(key, longTimer(later, waitMs));
  }
}

function isOfInterest(event: LogEvent): boolean {
  if (event.type === 'session.changed') return event.changes.requestPolicy !== undefined;
  return event.type === 'permission.requested' || event.type === 'question.requested';
}
