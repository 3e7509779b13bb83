import type { UsageGroup, UsageRecord } from '@baton/client';
import { compact, cost, count } from '../text/amounts.ts';
import { duration } from '../text/time.ts';

/** What can be added up. */
export type Amount = {
  [Name in keyof UsageRecord]: UsageRecord[Name] extends number ? Name : never;
}[keyof UsageRecord];

/** A number to look at; its parts are drawn upon each other. */
export type Measure = {
  id: string;
  label: string;
  parts: readonly Amount[];
  /** In full, and for the edge of a chart. */
  show: (value: number) => string;
  showShort: (value: number) => string;
  /** There are only whole ones. */
  isCounted?: true;
};

/** What can be looked at. */
export const MEASURES: readonly [Measure, ...Measure[]] = [
  {
    id: 'tokens',
    label: 'Tokens',
    parts: ['input_tokens', 'output_tokens'],
    show: count,
    showShort: compact,
    isCounted: true,
  },
  { id: 'cost', label: 'Cost', parts: ['cost_usd'], show: cost, showShort: cost },
  {
    id: 'time',
    label: 'Time at work',
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

/** What the amounts are called, in the order of a table. */
export const AMOUNTS: Readonly<Record<Amount, { label: string; show: Measure['show'] }>> = {
  tasks: { label: 'Tasks', show: count },
  done: { label: 'Done', show: count },
  failed: { label: 'Failed', show: count },
  timed_out: { label: 'Timed out', show: count },
  cancelled: { label: 'Stopped', show: count },
  input_tokens: { label: 'Input tokens', show: count },
  output_tokens: { label: 'Output tokens', show: count },
  cost_usd: { label: 'Cost', show: cost },
  duration_ms: { label: 'Time at work', show: duration },
};
/** The names of the amounts, in the order in which they are offered. */
export const AMOUNT_NAMES = Object.keys(AMOUNTS) as Amount[];

export type Grouping = {
  id: UsageGroup;
  label: string;
  /** What it is called where there is nothing. */
  none: string;
};

/** By what usage can be told apart, beside days. */
export const GROUPINGS: readonly [Grouping, ...Grouping[]] = [
  { id: 'backend', label: 'Agent', none: 'No agent' },
  { id: 'model', label: 'Model', none: 'No model' },
  { id: 'folder', label: 'Folder', none: 'No folder' },
  { id: 'session', label: 'Session', none: 'No session' },
  { id: 'user', label: 'Person', none: 'Nobody' },
  { id: 'outcome', label: 'Outcome', none: 'Not ended yet' },
];

/** How much a row has of a measure in all. */
export function amountOf({ parts }: Measure, row: UsageRecord): number {
  return parts.reduce((sum, part) => sum + row[part], 0);
}
