import type { UsageRecord } from '@baton/client';
import { useState } from 'react';
import { useNow } from '../data/now.ts';
import { useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import { Empty } from '../design/empty.tsx';
import { SelectField } from '../design/field.tsx';
import { Figures } from '../design/figures.tsx';
import { PageFrame, Section } from '../design/page-frame.tsx';
import { useTitle } from '../shell/attention.ts';
import { compact, cost, count, ESTIMATE_WORDS } from '../text/amounts.ts';
import { duration } from '../text/time.ts';
import { DayChart } from './day-chart.tsx';
import { lastDays, totalOf, withEmptyDays } from './days.ts';
import { useNames } from './group-names.ts';
import { Groups } from './groups.tsx';
import { layersOf } from './layers.ts';
import { GROUPINGS, MEASURES, type Measure } from './measures.ts';
import styles from './usage.module.css';
import { ChartOrTable } from './usage-table.tsx';

const RANGES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
];

/** Usage of tasks by day and by group. */
export function Usage() {
  useTitle('Usage');
  const [range, setRange] = useState('30');
  const [measure, setMeasure] = useState<Measure>(MEASURES[0]);
  const days = lastDays(Number(range), useNow());
  const from = days[0];
  const query = useRecords(['usage', 'day and agent', from], (client) =>
    client.usage.find({ from, group_by: ['day', 'backend'] }),
  );
  const agentName = useNames(GROUPINGS[0]);
  return (
    <PageFrame
      title="Usage"
      about="Tasks created in this period. Days are in UTC."
      actions={
        <div className={styles.choices}>
          <SelectField
            label="Metric"
            hideLabel
            value={measure.id}
            options={MEASURES.map(({ id, label }) => ({ value: id, label }))}
            onChange={({ target }) =>
              setMeasure(MEASURES.find(({ id }) => id === target.value) ?? MEASURES[0])
            }
          />
          <SelectField
            label="Time"
            hideLabel
            value={range}
            options={RANGES}
            onChange={(event) => setRange(event.target.value)}
          />
        </div>
      }
    >
      <QueryResult query={query} lines={8}>
        {(rows) => {
          const total = totalOf(rows);
          if (total.tasks === 0) return <EmptySession />;
          const all = withEmptyDays(rows, days);
          return (
            <>
              <Figures
                label="Total"
                figures={[
                  { label: 'Tasks', value: count(total.tasks), about: outcomes(total) },
                  { label: 'Input tokens', value: compact(total.input_tokens) },
                  { label: 'Output tokens', value: compact(total.output_tokens) },
                  {
                    label: 'Cost',
                    value: cost(total.cost_usd, { isEstimated: total.cost_estimated }),
                    ...(total.cost_estimated ? { about: ESTIMATE_WORDS } : {}),
                  },
                  { label: 'Run time', value: duration(total.duration_ms) },
                ]}
              />
              <Section title={`${measure.label} by day`}>
                <ChartOrTable head="Day" rows={all} nameOf={(key) => key ?? ''}>
                  <DayChart
                    rows={all}
                    measure={measure}
                    layers={layersOf(measure, rows, agentName)}
                  />
                </ChartOrTable>
              </Section>
              <Groups from={from} measure={measure} />
            </>
          );
        }}
      </QueryResult>
    </PageFrame>
  );
}

function outcomes({ done, failed, timed_out, cancelled }: UsageRecord): string {
  return `${count(done)} done, ${count(failed + timed_out)} failed, ${count(cancelled)} stopped`;
}

function EmptySession() {
  return (
    <Empty icon="usage" title="No usage in this period">
      Usage shows up here once agents have run.
    </Empty>
  );
}
