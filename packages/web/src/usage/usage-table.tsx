import type { UsageRecord } from '@baton/client';
import { type ReactNode, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Card } from '../design/page-frame.tsx';
import { Table } from '../design/table.tsx';
import { AMOUNT_NAMES, AMOUNTS, amountWords } from './measures.ts';
import styles from './usage.module.css';

type TableProps = {
  /** Heading of the rows. */
  head: string;
  rows: readonly UsageRecord[];
  nameOf: (key: string | null) => string;
};

/** A chart, or on demand the numbers behind it. */
export function ChartOrTable({ children, ...table }: TableProps & { children: ReactNode }) {
  const [isTable, setTable] = useState(false);
  return (
    <Card>
      <div className={styles.switch}>
        <Button
          small
          look="quiet"
          icon={isTable ? 'usage' : 'list'}
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? 'Chart' : 'Table'}
        </Button>
      </div>
      {isTable ? <UsageTable {...table} /> : children}
    </Card>
  );
}

function UsageTable({ head, rows, nameOf }: TableProps) {
  return (
    <div className={styles.tableFrame}>
      <Table label={`Usage by ${head.toLowerCase()}`} numbers className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            {AMOUNT_NAMES.map((name) => (
              <th key={name} scope="col">
                {AMOUNTS[name].label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row" dir="auto">
                {nameOf(row.key)}
              </th>
              {AMOUNT_NAMES.map((name) => (
                <td key={name}>{amountWords(name, row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}
