import { BatonError, type ChainDraft, type ChainEvent } from '@baton/protocol';
import type { Engine, Tx } from '../engine/engine.ts';
import type { ChainRunRow } from '../schema/tables.ts';
import type { WakeUps } from '../wake-ups.ts';

/** The process that runs a chain. With its start time, the pid names a process for certain. */
export type ChainOwner = {
  ownerId: string;
  host: string;
  pid: number;
  startTicks?: number | undefined;
};

export type NewChainRun = Pick<
  ChainRunRow,
  'run_id' | 'chain' | 'file' | 'file_hash' | 'cwd' | 'inputs' | 'definition' | 'created_by'
>;

/** The runs of chains: the only way to change one is to append events to it. */
export class ChainRuns {
  #engine: Engine;
  #wakeUps: WakeUps;
  #now: () => number;

  constructor(engine: Engine, wakeUps: WakeUps, now: () => number) {
    this.#engine = engine;
    this.#wakeUps = wakeUps;
    this.#now = now;
  }

  /** Begins a run. A run with this id that is already there stays as it is, so that a retry is harmless. */
  async create(run: NewChainRun, first: ChainDraft): Promise<void> {
    const now = this.#now();
    const row: ChainRunRow = {
      ...run,
      status: 'running',
      pending_approvals: 0,
      created_at: now,
      updated_at: now,
      completed_at: null,
      head_seq: 0,
      input_tokens: 0,
      output_tokens: 0,
      cost_usd: 0,
      cost_estimated: 0,
      owner_id: null,
      owner: null,
      heartbeat_at: null,
    };
    const isNew = await this.#engine.db.transaction().execute(async (tx) => {
      const { numInsertedOrUpdatedRows = 0n } = await tx
        .insertInto('chain_runs')
        .values(row)
        .onConflict((conflict) => conflict.column('run_id').doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows === 0n) return false;
      await this.#write(tx, row, [first]);
      return true;
    });
    if (isNew) this.#wakeUps.emit('chain', { runId: run.run_id, seq: 1 });
  }

  /**
   * Appends what is decided while no one else can write to the run, and returns it with its numbers. With an owner it
   * fails if another process has taken the run over.
   */
  async append(
    runId: string,
    decide: readonly ChainDraft[] | ((row: ChainRunRow) => readonly ChainDraft[]),
    { ownerId }: { ownerId?: string | undefined } = {},
  ): Promise<ChainEvent[]> {
    const events = await this.#engine.db.transaction().execute(async (tx) => {
      const row = await this.#locked(tx, runId);
      if (ownerId !== undefined && row.owner_id !== ownerId) throw lostRun(runId);
      const drafts = typeof decide === 'function' ? decide(row) : decide;
      return drafts.length === 0 ? [] : this.#write(tx, row, drafts);
    });
    const seq = events.at(-1)?.seq;
    if (seq !== undefined) this.#wakeUps.emit('chain', { runId, seq });
    return events;
  }

  /** Reads the events behind a number, the oldest first. */
  async read(runId: string, after = 0, limit = Number.MAX_SAFE_INTEGER): Promise<ChainEvent[]> {
    const rows = await this.#engine.db
      .selectFrom('chain_events')
      .select('body')
      .where('run_id', '=', runId)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit)
      .execute();
    return rows.map(({ body }) => JSON.parse(body) as ChainEvent);
  }

  /** Makes a process the owner of a run if `mayTake` agrees; tells whether it did. */
  claim(
    runId: string,
    owner: ChainOwner,
    mayTake: (current: ChainOwner | undefined, heartbeatAt: number) => boolean,
  ): Promise<boolean> {
    return this.#engine.db.transaction().execute(async (tx) => {
      const row = await this.#locked(tx, runId);
      const current = row.owner === null ? undefined : (JSON.parse(row.owner) as ChainOwner);
      if (!mayTake(current, row.heartbeat_at ?? 0)) return false;
      const owned = { owner_id: owner.ownerId, owner: JSON.stringify(owner) };
      await tx
        .updateTable('chain_runs')
        .set({ ...owned, heartbeat_at: this.#now() })
        .where('run_id', '=', runId)
        .execute();
      return true;
    });
  }

  /** Says that the owner is alive; false if another process has taken the run over. */
  async heartbeat(runId: string, ownerId: string): Promise<boolean> {
    return this.#updateOwned(runId, ownerId, { heartbeat_at: this.#now() });
  }

  /** Gives a run up. */
  async release(runId: string, ownerId: string): Promise<void> {
    await this.#updateOwned(runId, ownerId, { owner_id: null, owner: null, heartbeat_at: null });
  }

  async #updateOwned(
    runId: string,
    ownerId: string,
    changes: Partial<ChainRunRow>,
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#engine.db
      .updateTable('chain_runs')
      .set(changes)
      .where('run_id', '=', runId)
      .where('owner_id', '=', ownerId)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async #locked(tx: Tx, runId: string): Promise<ChainRunRow> {
    const row = await tx
      .selectFrom('chain_runs')
      .selectAll()
      .where('run_id', '=', runId)
      .$if(this.#engine.kind === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst();
    if (row) return row;
    throw new BatonError('not_found', `Chain run "${runId}" not found.`, {
      hint: 'List the runs with "baton chain runs".',
    });
  }

  async #write(tx: Tx, row: ChainRunRow, drafts: readonly ChainDraft[]): Promise<ChainEvent[]> {
    const time = this.#now();
    const events = drafts.map(
      (draft, index) => ({ ...draft, seq: row.head_seq + 1 + index, time }) as ChainEvent,
    );
    const rows = events.map((event) => ({
      run_id: row.run_id,
      seq: event.seq,
      at: time,
      body: JSON.stringify(event),
    }));
    await tx.insertInto('chain_events').values(rows).execute();
    const next = events.reduce(nextRow, row);
    await tx.updateTable('chain_runs').set(next).where('run_id', '=', row.run_id).execute();
    const moved = { runId: row.run_id, seq: next.head_seq };
    await this.#engine.notify(tx, this.#wakeUps.chainAnnouncement(moved));
    return events;
  }
}

/** The row of a run after an event: lists show it without reading the events. */
function nextRow(row: ChainRunRow, event: ChainEvent): ChainRunRow {
  const next = { ...row, head_seq: event.seq, updated_at: event.time };
  switch (event.type) {
    case 'chain.resumed':
      return {
        ...next,
        status: row.pending_approvals > 0 ? 'awaiting_approval' : 'running',
        completed_at: null,
      };
    case 'approval.requested':
      return {
        ...next,
        status: 'awaiting_approval',
        pending_approvals: row.pending_approvals + 1,
      };
    case 'approval.answered': {
      const pending_approvals = Math.max(0, row.pending_approvals - 1);
      return {
        ...next,
        pending_approvals,
        status: pending_approvals === 0 ? 'running' : row.status,
      };
    }
    case 'step.interrupted':
    case 'step.completed': {
      const { usage } = event;
      return {
        ...next,
        input_tokens: row.input_tokens + (usage?.inputTokens ?? 0),
        output_tokens: row.output_tokens + (usage?.outputTokens ?? 0),
        cost_usd: row.cost_usd + (usage?.costUsd ?? 0),
        cost_estimated: row.cost_estimated || usage?.costEstimated ? 1 : 0,
      };
    }
    case 'chain.completed':
      return {
        ...next,
        status: event.outcome,
        pending_approvals: 0,
        completed_at: event.time,
      };
    default:
      return next;
  }
}

function lostRun(runId: string): BatonError {
  return new BatonError('lease_lost', `Another process has taken over chain run "${runId}".`);
}
