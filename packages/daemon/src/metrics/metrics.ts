import { statusOfOutcome } from '@baton/protocol';
import type { SessionMoved, Store } from '@baton/store';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CallReport } from '../service/call-report.ts';
import { processRegistry } from './process-metrics.ts';

const CALL_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 40];
const COMMIT_SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.2, 1, 5];
/** Tasks of these states are few; those that have ended are only counted as they end. */
const OPEN_STATUSES = ['QUEUED', 'RUNNING', 'AWAITING_PERMISSION', 'STOPPING'] as const;

/** Metrics that are collected on demand. */
export type Watched = {
  store: Store;
  /** Long-polling followers. */
  followers(): number;
  /** Connected sockets. */
  sockets(): number;
};

/** Counts what a daemon does, for Prometheus. Labels only have values that are known beforehand. */
export class Metrics {
  #registry = new Registry();
  #calls = this.#added(
    new Histogram({
      name: 'baton_call_duration_seconds',
      help: 'Service calls by status. Calls that long-poll for events are slow by design.',
      labelNames: ['service', 'method', 'status'],
      buckets: CALL_SECONDS,
      registers: [],
    }),
  );
  #commits = this.#added(
    new Histogram({
      name: 'baton_commit_duration_seconds',
      help: 'Commits to the event log.',
      buckets: COMMIT_SECONDS,
      registers: [],
    }),
  );
  #events = this.#added(
    new Counter({
      name: 'baton_events_appended_total',
      help: 'Events committed by this daemon.',
      registers: [],
    }),
  );
  #ended = this.#added(
    new Counter({
      name: 'baton_tasks_ended_total',
      help: 'Tasks that ended, as committed by this daemon.',
      labelNames: ['status'],
      registers: [],
    }),
  );

  /** Counts a call. */
  call({ service, method, status, durationMs }: CallReport): void {
    this.#calls.observe({ service, method, status }, durationMs / 1000);
  }

  /** Counts a commit. */
  commit(milliseconds: number): void {
    this.#commits.observe(milliseconds / 1000);
  }

  /** Begins to watch what a daemon has; gives what ends it. */
  watch({ store, followers, sockets }: Watched): () => void {
    this.#gauge('baton_followers_waiting', 'Long-polling followers.', followers);
    this.#gauge('baton_sockets', 'Connected sockets.', sockets);
    this.#gauge('baton_queue_length', 'Queued tasks.', () => store.queue.waiting());
    this.#gauge('baton_executors', 'Active executors of all daemons.', () =>
      store.records.executors.count({ ended_at: null }),
    );
    this.#tasks(store);
    const count = (moved: SessionMoved) => this.#count(moved);
    store.wakeUps.on('session', count);
    return () => store.wakeUps.off('session', count);
  }

  /** All numbers, in the format of Prometheus. */
  async text(): Promise<string> {
    return Registry.merge([this.#registry, processRegistry()]).metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #count({ events = [] }: SessionMoved): void {
    this.#events.inc(events.length);
    for (const event of events) {
      if (event.type !== 'run.completed') continue;
      this.#ended.inc({ status: statusOfOutcome(event.outcome) });
    }
  }

  #tasks(store: Store): void {
    const gauge: Gauge<'status'> = new Gauge({
      name: 'baton_tasks',
      help: 'Unfinished tasks of all daemons.',
      labelNames: ['status'],
      registers: [],
      async collect() {
        for (const status of OPEN_STATUSES) {
          gauge.set({ status }, await store.records.tasks.count({ status }));
        }
      },
    });
    this.#added(gauge);
  }

  #gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [],
      collect: async () => gauge.set(await read()),
    });
    this.#added(gauge);
  }

  #added<Metric extends Histogram | Counter | Gauge>(metric: Metric): Metric {
    this.#registry.registerMetric(metric);
    return metric;
  }
}
