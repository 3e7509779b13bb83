import { hostname } from 'node:os';
import { DatabaseSync } from 'node:sqlite';

/** Times of a task, in seconds before now. */
export type Times = {
  /** Start of the task. */
  began: number;
  /** Duration; undefined for a task that has not ended. */
  took?: number;
  /** Time of its agent's request. */
  asked?: number;
};

/** Seconds before the start at which a prompt was sent. */
const QUEUED = 2;

/** Gives the tasks of a session the times of real work: agents that are played by hand take milliseconds. */
export function backdate(file: string, times: ReadonlyMap<string, Times>): void {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  const set = (sql: string, ...values: (string | number | null)[]) =>
    database.prepare(sql).run(...values);
  const now = Date.now();
  try {
    for (const [id, { began, took, asked }] of times) {
      const started = now - began * 1000;
      const ended = took === undefined ? null : started + took * 1000;
      set(
        'UPDATE tasks SET created_at = ?, started_at = ?, completed_at = ? WHERE session_id = ? AND started_at IS NOT NULL',
        ...[started - QUEUED * 1000, started, ended, id],
      );
      set(
        'UPDATE sessions SET created_at = ?, updated_at = ? WHERE session_id = ?',
        ...[started - QUEUED * 1000, ended ?? now - (asked ?? 0) * 1000, id],
      );
      if (asked === undefined) continue;
      set('UPDATE requests SET asked_at = ? WHERE session_id = ?', now - asked * 1000, id);
    }
  } finally {
    database.close();
  }
}

/** Adds a second daemon with slots: the one that takes the pictures has none, so that no real agent starts. */
export function addSlots(file: string, slots: number): void {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  try {
    const columns = 'daemon_id, host, url, version, slots, started_at, heartbeat_at';
    database
      .prepare(`INSERT INTO daemons (${columns}) VALUES (?, ?, '', '', ?, ?, ?)`)
      .run('slots', hostname(), slots, Date.now(), Date.now() + 3_600_000);
  } finally {
    database.close();
  }
}

/** Gives the steps of a chain run the times of real work. */
export function backdateChain(
  file: string,
  run: string,
  { began, steps }: { began: number; steps: Readonly<Record<string, Times>> },
): void {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  const now = Date.now();
  try {
    const start = now - began * 1000;
    database.prepare('UPDATE chain_runs SET created_at = ? WHERE run_id = ?').run(start, run);
    const rows = database.prepare('SELECT seq, body FROM chain_events WHERE run_id = ?').all(run);
    const update = database.prepare(
      'UPDATE chain_events SET at = ?, body = ? WHERE run_id = ? AND seq = ?',
    );
    for (const { seq, body } of rows) {
      const event = JSON.parse(String(body)) as { type: string; step?: string };
      const { began: ago, took = 0 } = steps[event.step ?? ''] ?? { began };
      const time = now - (event.type === 'step.completed' ? ago - took : ago) * 1000;
      update.run(time, JSON.stringify({ ...event, time }), run, Number(seq));
    }
  } finally {
    database.close();
  }
}
