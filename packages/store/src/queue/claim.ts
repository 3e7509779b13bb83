import type { Engine, Tx } from '../engine/engine.ts';
import type { SessionLog } from '../log/session-log.ts';
import type { LeaseRow, TaskRow } from '../schema/tables.ts';

export type Claimant = {
  executorId: string;
  daemonId: string;
  host: string;
  leaseMs: number;
  /** Claims only this task, if it is ready to start. */
  taskId?: string | undefined;
  /** None of these sessions: another claim is about to take their tasks. */
  exceptSessions?: readonly string[] | undefined;
  /** No task that resumes after a pause. */
  onlyNew?: boolean | undefined;
};

type Wanted = Pick<Claimant, 'taskId' | 'exceptSessions' | 'onlyNew'>;

export type Claim = { task: TaskRow; lease: LeaseRow };

const ACTIVE = ['RUNNING', 'AWAITING_PERMISSION', 'STOPPING'];

/** The queue of all prompts: one task at a time in each session, and the session that waited longest first. */
export class TaskQueue {
  #engine: Engine;
  #log: SessionLog;
  #now: () => number;

  constructor(engine: Engine, log: SessionLog, now: () => number) {
    this.#engine = engine;
    this.#log = log;
    this.#now = now;
  }

  /** Claims the next task that is ready to start, for one executor; undefined if there is none. */
  async claim(claimant: Claimant): Promise<Claim | undefined> {
    let taskId: string | undefined;
    return this.#log.appendToFound(
      async (tx) => {
        const next = await this.#next(tx, claimant);
        taskId = next?.task_id;
        return next?.session_id;
      },
      async (state, tx) => {
        const task = state.tasks.get(taskId ?? '');
        // Another daemon was quicker between the look and the lock.
        if (task?.status !== 'QUEUED' || state.session.queue_paused) {
          return { drafts: [], result: undefined };
        }
        const { executorId, host } = claimant;
        const lease = leaseOf(task, claimant, state.session.head_cursor + 1, this.#now());
        await tx.insertInto('leases').values(lease).execute();
        return {
          drafts: [{ type: 'task.started', taskId: task.task_id, executorId, host }],
          result: { task, lease },
        };
      },
    );
  }

  /** True if a task is ready to start. */
  async isWaiting(wanted: Wanted = {}): Promise<boolean> {
    const next = await this.#engine.db.transaction().execute((tx) => this.#next(tx, wanted));
    return next !== undefined;
  }

  /** Counts the given tasks that need input. */
  async awaitingInput(taskIds: readonly string[]): Promise<number> {
    if (taskIds.length === 0) return 0;
    const { count } = await this.#engine.db
      .selectFrom('tasks')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('status', '=', 'AWAITING_PERMISSION')
      .where('task_id', 'in', taskIds)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Counts the queued tasks. */
  async waiting(): Promise<number> {
    const { count } = await this.#engine.db
      .selectFrom('tasks')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('status', '=', 'QUEUED')
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  #next(tx: Tx, { taskId, exceptSessions = [], onlyNew = false }: Wanted) {
    return tx
      .selectFrom('tasks')
      .innerJoin('sessions', 'sessions.session_id', 'tasks.session_id')
      .select(['tasks.task_id', 'tasks.session_id'])
      .where('tasks.status', '=', 'QUEUED')
      .where('sessions.queue_paused', '=', 0)
      .$if(taskId !== undefined, (query) => query.where('tasks.task_id', '=', taskId ?? ''))
      .$if(onlyNew, (query) => query.where('tasks.resumed_with', 'is', null))
      .$if(exceptSessions.length > 0, (query) =>
        query.where('tasks.session_id', 'not in', exceptSessions),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('tasks as other')
              .select('other.task_id')
              .whereRef('other.session_id', '=', 'tasks.session_id')
              .where(({ or, and, eb, ref }) =>
                or([
                  eb('other.status', 'in', ACTIVE),
                  and([
                    eb('other.status', '=', 'QUEUED'),
                    eb('other.position', '<', ref('tasks.position')),
                  ]),
                ]),
              ),
          ),
        ),
      )
      .orderBy('sessions.last_started_at')
      .orderBy('tasks.created_at')
      .limit(1)
      .$if(this.#engine.kind === 'postgres', (query) => query.forUpdate('sessions').skipLocked())
      .executeTakeFirst();
  }
}

/** The cursor of the event that begins a task is a number that no earlier holder can have had. */
function leaseOf(task: TaskRow, claimant: Claimant, fence: number, now: number): LeaseRow {
  return {
    task_id: task.task_id,
    session_id: task.session_id,
    executor_id: claimant.executorId,
    daemon_id: claimant.daemonId,
    fence,
    expires_at: now + claimant.leaseMs,
    renewals: 0,
    agent_started: 0,
  };
}
