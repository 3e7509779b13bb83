import type { UsageRecord } from '@baton/client';
import { useState } from 'react';
import { useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import { SelectField } from '../design/field.tsx';
import { Section } from '../design/page-frame.tsx';
import { Legend } from './day-chart.tsx';
import { useNames } from './group-names.ts';
import { partsOf } from './layers.ts';
import { amountOf, GROUPINGS, type Measure, measureWords } from './measures.ts';
import styles from './usage.module.css';
import { ChartOrTable } from './usage-table.tsx';

const MOST = 12;

/** Usage by agent, session or user, the largest first. */
export function Groups({ from, measure }: { from: string | undefined; measure: Measure }) {
  const [grouping, setGrouping] = useState(GROUPINGS[0]);
  const query = useRecords(['usage', grouping.id, from], (client) =>
    client.usage.find({ from, group_by: grouping.id }),
  );
  const nameOf = useNames(grouping);
  return (
    <Section
      title={`${measure.label} by ${grouping.label.toLowerCase()}`}
      actions={
        <SelectField
          label="Group by"
          hideLabel
          value={grouping.id}
          options={GROUPINGS.map(({ id, label }) => ({
            value: id,
            label: `By ${label.toLowerCase()}`,
          }))}
          onChange={({ target }) =>
            setGrouping(GROUPINGS.find(({ id }) => id === target.value) ?? GROUPINGS[0])
          }
        />
      }
    >
      <QueryResult query={query}>
        {(rows) => {
          const sorted = rows.toSorted((a, b) => amountOf(measure, b) - amountOf(measure, a));
          return (
            <ChartOrTable head={grouping.label} rows={sorted} nameOf={nameOf}>
              <Bars rows={sorted} measure={measure} nameOf={nameOf} />
            </ChartOrTable>
          );
        }}
      </QueryResult>
    </Section>
  );
}

type BarsProps = {
  rows: readonly UsageRecord[];
  measure: Measure;
  nameOf: (key: string | null) => string;
};

function Bars({ rows, measure, nameOf }: BarsProps) {
  const most = Math.max(...rows.map((row) => amountOf(measure, row))) || 1;
  return (
    <>
      <Legend layers={partsOf(measure, rows)} />
      <ul className={styles.bars}>
        {rows.slice(0, MOST).map((row) => {
          let before = 0;
          return (
            <li key={row.key}>
              <span className={styles.name} dir="auto">
                {nameOf(row.key)}
              </span>
              <span className={styles.amount}>
                {measureWords(measure, row, amountOf(measure, row))}
              </span>
              <svg aria-hidden="true" width="100%" height="10" className={styles.bar}>
                {measure.parts.map((part) => {
                  const x = before;
                  const width = (100 * row[part]) / most;
                  before += width;
                  return (
                    <rect key={part} data-part={part} x={`${x}%`} width={`${width}%`} height="10" />
                  );
                })}
              </svg>
            </li>
          );
        })}
      </ul>
      {rows.length > MOST && <p className={styles.more}>{rows.length - MOST} more in the table.</p>}
    </>
  );
}
