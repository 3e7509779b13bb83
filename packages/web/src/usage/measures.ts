import type { UsageGroup, UsageRecord } from '@baton/client';
import { compact, cost, count } from '../text/amounts.ts';
import { duration } from '../text/time.ts';

/** The amounts that can be summed. */
export type Amount = {
  [Name in keyof UsageRecord]: UsageRecord[Name] extends number ? Name : never;
}[keyof UsageRecord];

/** A metric of the chart; its parts are stacked. */
export type Measure = {
  id: string;
  label: string;
  parts: readonly Amount[];
  /** Formats a value in full, and for the axis of a chart. */
  show: (value: number) => string;
  showShort: (value: number) => string;
  /** Values are whole numbers. */
  isCounted?: true;
};

const dollars = (value: number) => cost(value);

/** All metrics. */
export const MEASURES: readonly [Measure, ...Measure[]] = [
  {
    id: 'tokens',
    label: 'Tokens',
    parts: ['input_tokens', 'output_tokens'],
    show: count,
    showShort: compact,
    isCounted: true,
  },
  { id: 'cost', label: 'Cost', parts: ['cost_usd'], show: dollars, showShort: dollars },
  {
    id: 'time',
    label: 'Run time',
    parts: ['duration_ms'],
    show: duration,
    showShort: duration,
  },
  {
    id: 'outcome',
    label: 'Outcome',
    parts: ['done', 'failed', 'timed_out', 'cancelled'],
    show: count,
    showShort: compact,
    isCounted: true,
  },
  {
    id: 'tasks',
    label: 'Tasks',
    parts: ['tasks'],
    show: count,
    showShort: compact,
    isCounted: true,
  },
];

/** The labels of the amounts, in the column order of the table. */
export const AMOUNTS: Readonly<Record<Amount, { label: string; show: Measure['show'] }>> = {
  tasks: { label: 'Tasks', show: count },
  done: { label: 'Done', show: count },
  failed: { label: 'Failed', show: count },
  timed_out: { label: 'Timed out', show: count },
  cancelled: { label: 'Stopped', show: count },
  input_tokens: { label: 'Input tokens', show: count },
  output_tokens: { label: 'Output tokens', show: count },
  cost_usd: { label: 'Cost', show: dollars },
  duration_ms: { label: 'Run time', show: duration },
};
/** The ids of the metrics, in menu order. */
export const AMOUNT_NAMES = Object.keys(AMOUNTS) as Amount[];

export type Grouping = {
  id: UsageGroup;
  label: string;
  /** The label of an empty group. */
  none: string;
};

/** The groupings of usage other than days. */
export const GROUPINGS: readonly [Grouping, ...Grouping[]] = [
  { id: 'backend', label: 'Agent', none: 'No agent' },
  { id: 'model', label: 'Model', none: 'Default model' },
  { id: 'folder', label: 'Folder', none: 'No folder' },
  { id: 'session', label: 'Session', none: 'No session' },
  { id: 'user', label: 'Person', none: 'Nobody' },
  { id: 'outcome', label: 'Outcome', none: 'In progress' },
];

/** The total of a metric in a row. */
export function amountOf({ parts }: Measure, row: UsageRecord): number {
  return parts.reduce((sum, part) => sum + row[part], 0);
}

/** An amount of a row in full; a cost that contains an estimate is marked. */
export function amountWords(name: Amount, row: UsageRecord): string {
  if (name === 'cost_usd') return cost(row.cost_usd, { isEstimated: row.cost_estimated });
  return AMOUNTS[name].show(row[name]);
}

/** A value of a metric that belongs to a row, in full. */
export function measureWords(
  measure: Measure,
  row: Pick<UsageRecord, 'cost_estimated'>,
  amount: number,
): string {
  return measure.id === 'cost'
    ? cost(amount, { isEstimated: row.cost_estimated })
    : measure.show(amount);
}
