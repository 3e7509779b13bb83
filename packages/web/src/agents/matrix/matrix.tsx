import type { BackendRecord } from '@baton/client';
import type { ReactNode } from 'react';
import surface from '../../design/surface.module.css';
import { Table } from '../../design/table.tsx';
import styles from './capability-matrix.module.css';

type Props = {
  label: string;
  /** Heading of the first column. */
  head: string;
  backends: readonly BackendRecord[];
  children: ReactNode;
};

/** A table with a column for each agent; if it is too wide, it scrolls and the first column stays in place. */
export function Matrix({ label, head, backends, children }: Props) {
  return (
    <div className={`${surface.surface} ${styles.frame}`}>
      <Table label={label} className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            {backends.map(({ id, label: name }) => (
              <th key={id} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </Table>
    </div>
  );
}
