import type { UsageRecord } from '@baton/client';
import { totalOf } from './days.ts';
import { AMOUNTS, amountOf, type Measure } from './measures.ts';

/** A layer of the stacked bars. */
export type Layer = {
  label: string;
  /** Name of its colour. */
  part: string;
  /** Amount on a day. */
  on: (day: string) => number;
};

/** Number of agents that have their own colour. */
const MOST = 5;

/**
 * The layers of the bars: the agents, if there are several. For a single agent, and for outcomes, the parts of the
 * measure. The rows are by day and agent.
 */
export function layersOf(
  measure: Measure,
  rows: readonly UsageRecord[],
  nameOf: (backend: string | null) => string,
): Layer[] {
  const agents = agentsIn(measure, rows);
  if (agents.length < 2 || measure.id === 'outcome') return partsOf(measure, rows);
  const layer = (label: string, part: string, some: readonly (string | null)[]): Layer => {
    const own = rows.filter((row) => some.includes(backendOf(row)));
    const of = (day: string) => totalOf(own.filter(({ key }) => key === day));
    return { label, part, on: (day) => amountOf(measure, of(day)) };
  };
  const others = agents.slice(MOST);
  return [
    ...agents.slice(0, MOST).map((agent, place) => layer(nameOf(agent), `agent-${place}`, [agent])),
    ...(others.length > 0 ? [layer('Other', 'others', others)] : []),
  ];
}

/** The parts of a measure, each with its own colour. */
export function partsOf(measure: Measure, rows: readonly UsageRecord[]): Layer[] {
  return measure.parts.map((part) => ({
    label: AMOUNTS[part].label,
    part,
    on: (day) => totalOf(rows.filter(({ key }) => key === day))[part],
  }));
}

/** The agents with any amount of a measure, the largest first. */
function agentsIn(measure: Measure, rows: readonly UsageRecord[]): (string | null)[] {
  return [...Map.groupBy(rows, backendOf)]
    .map(([agent, own]) => ({ agent, amount: amountOf(measure, totalOf(own)) }))
    .filter(({ amount }) => amount > 0)
    .toSorted((one, other) => other.amount - one.amount)
    .map(({ agent }) => agent);
}

function backendOf({ group }: UsageRecord): string | null {
  return group.backend ?? null;
}
