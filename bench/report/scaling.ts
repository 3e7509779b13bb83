import type { Finding } from '../benchmark.ts';
import { type Result, readResult } from './results.ts';

type Row = {
  what: string;
  benchmark: string;
  /** Index of the finding, and the name of the detail to show. */
  finding?: number;
  detail: string;
  unit: string;
};

const ROWS: readonly Row[] = [
  {
    what: 'events of one executor, committed and delivered to a follower',
    benchmark: 'daemon-ingest',
    detail: 'durable events/s',
    unit: 'per second',
  },
  {
    what: 'the same without storage',
    benchmark: 'daemon-ingest',
    detail: 'off events/s',
    unit: 'per second',
  },
  {
    what: 'from executor to follower at 1,000 events/s over 50 sessions, median',
    benchmark: 'daemon-latency',
    detail: 'baton ms',
    unit: 'ms',
  },
  {
    what: 'the same, 99th percentile',
    benchmark: 'daemon-latency',
    finding: 1,
    detail: 'baton ms',
    unit: 'ms',
  },
  {
    what: 'CPU time of the daemon per event',
    benchmark: 'daemon-latency',
    detail: 'baton cpuMs per event',
    unit: 'ms',
  },
  {
    what: 'events of a session read from its start',
    benchmark: 'daemon-replay',
    detail: 'follow events/s',
    unit: 'per second',
  },
  {
    what: 'opening a session of a million events',
    benchmark: 'daemon-open',
    detail: 'long ms',
    unit: 'ms',
  },
  {
    what: 'peak memory of a daemon at full speed over 10 sessions',
    benchmark: 'daemon-memory',
    detail: 'most MB',
    unit: 'MB',
  },
  {
    what: 'database for a million events',
    benchmark: 'daemon-memory',
    detail: 'database MB per million events',
    unit: 'MB',
  },
  {
    what: '`baton serve` until it is ready, with 1,000 sessions',
    benchmark: 'daemon-ready',
    detail: 'old wallMs',
    unit: 'ms',
  },
];

/** Returns a table of the daemon's measured numbers, for capacity planning. */
export function scalingTable(): string {
  const lines = ROWS.flatMap((row) => {
    const result = readResult(row.benchmark);
    const value = result && told(row, result);
    return value === undefined
      ? []
      : [`| ${row.what} | ${value} ${row.unit} | \`${row.benchmark}\`, ${result?.date} |`];
  });
  if (lines.length === 0) return 'Not measured yet.';
  return ['| what | measured | by |', '| --- | --- | --- |', ...lines].join('\n');
}

function told({ finding = 0, detail }: Row, { findings }: Result): string | undefined {
  const found: Finding | undefined = findings[finding];
  const value = found?.detail?.[detail];
  return value === undefined ? undefined : shown(value);
}

/** Rounds to two digits, which is precise enough for estimates. */
function shown(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en');
}
