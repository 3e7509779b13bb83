import type { ReactNode } from 'react';
import { useNow } from '../data/now.ts';
import { Icon } from '../design/icon.tsx';
import { wholeSeconds } from '../text/time.ts';
import styles from './machines.module.css';

/** Time since something was last seen, with a warning tone if it is too long. */
export function Age({ label, since, oldMs }: { label: string; since: string; oldMs: number }) {
  const now = useNow();
  const age = Math.max(0, now - Date.parse(since));
  return (
    <Fact label={label} isBad={age > oldMs}>
      {wholeSeconds(age)} ago
    </Fact>
  );
}

/** Time left until the lease of an executor expires without a heartbeat; `none` without a task. */
export function Lease({ until }: { until: string | null }) {
  const now = useNow();
  if (until === null) return <Fact label="Lease">none</Fact>;
  const left = Date.parse(until) - now;
  return (
    <Fact label="Lease" isBad={left <= 0}>
      {left > 0 ? `${wholeSeconds(left)} left` : 'expired'}
    </Fact>
  );
}

type FactProps = { label: string; isBad?: boolean; children: ReactNode };

function Fact({ label, isBad = false, children }: FactProps) {
  return (
    <div className={styles.age} data-old={isBad || undefined}>
      <dt>{label}</dt>
      <dd>
        {isBad && <Icon name="warning" size={14} />}
        {children}
      </dd>
    </div>
  );
}
