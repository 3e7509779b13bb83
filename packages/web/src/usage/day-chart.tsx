import type { UsageRecord } from '@baton/client';
import { useId } from 'react';
import { Nothing } from '../design/empty.tsx';
import { marksOf, niceTop, totalOf } from './days.ts';
import type { Layer } from './layers.ts';
import { amountOf, type Measure, measureWords } from './measures.ts';
import styles from './usage.module.css';

const HEIGHT = 180;
/** Share of its slot that a bar fills. */
const FILL = 0.72;
const dayWords = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

type Props = { rows: readonly UsageRecord[]; measure: Measure; layers: readonly Layer[] };

/** A chart with a stacked bar for every day. */
export function DayChart({ rows, measure, layers }: Props) {
  const id = useId();
  const most = Math.max(...rows.map((row) => amountOf(measure, row)));
  if (most === 0) return <Nothing>No data for this period.</Nothing>;
  const top = niceTop(most);
  const marks = marksOf(top, measure.isCounted ?? false);
  const slot = 100 / rows.length;
  return (
    <figure className={styles.figure}>
      <Legend layers={layers} />
      <div className={styles.plot}>
        <div className={styles.scale} aria-hidden="true">
          {marks.map((mark) => (
            <span key={mark}>{measure.showShort(mark)}</span>
          ))}
        </div>
        <svg role="img" aria-labelledby={id} width="100%" height={HEIGHT} className={styles.chart}>
          <title id={id}>
            {`${measure.label} by day, at most ${measureWords(measure, totalOf(rows), most)}. See the table for all values.`}
          </title>
          {marks.map((mark) => {
            const y = HEIGHT * (1 - mark / top);
            return <line key={mark} x1="0" x2="100%" y1={y} y2={y} />;
          })}
          {rows.map((row, place) => (
            <Bar
              key={row.key}
              row={row}
              measure={measure}
              layers={layers}
              top={top}
              x={(place + (1 - FILL) / 2) * slot}
              width={slot * FILL}
            />
          ))}
        </svg>
        <div className={styles.ends} aria-hidden="true">
          <span>{dayOf(rows[0])}</span>
          <span>{dayOf(rows[Math.floor(rows.length / 2)])}</span>
          <span>{dayOf(rows.at(-1))}</span>
        </div>
      </div>
    </figure>
  );
}

type BarProps = Omit<Props, 'rows'> & { row: UsageRecord; top: number; x: number; width: number };

function Bar({ row, measure, layers, top, x, width }: BarProps) {
  let below = 0;
  const parts = layers.map(({ label, part, on }) => ({ label, part, amount: on(row.key ?? '') }));
  const words = parts.map(({ label, amount }) => `${label}: ${measureWords(measure, row, amount)}`);
  return (
    <g>
      <title>{[dayOf(row), ...words].join('\n')}</title>
      {/* Something to point at, also above a low bar. */}
      <rect className={styles.target} x={`${x}%`} width={`${width}%`} y={0} height={HEIGHT} />
      {parts.map(({ part, amount }) => {
        const height = (amount / top) * HEIGHT;
        below += height;
        return (
          <rect
            key={part}
            data-part={part}
            x={`${x}%`}
            width={`${width}%`}
            y={HEIGHT - below}
            height={height}
          />
        );
      })}
    </g>
  );
}

/** The legend of the colours; omitted for a single one. */
export function Legend({ layers }: { layers: readonly Pick<Layer, 'label' | 'part'>[] }) {
  if (layers.length < 2) return null;
  return (
    <ul className={styles.legend}>
      {layers.map(({ label, part }) => (
        <li key={part}>
          <span data-part={part} />
          {label}
        </li>
      ))}
    </ul>
  );
}

function dayOf(row: UsageRecord | undefined): string {
  return row?.key ? dayWords.format(new Date(row.key)) : '';
}
