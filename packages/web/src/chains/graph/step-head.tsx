import { useContext } from 'react';
import { Link } from 'wouter';
import type { StatusLook } from '../status/chain-status.ts';
import { StatusBadge } from '../status/status-badge.tsx';
import styles from './graph.module.css';
import { IsPlan } from './is-plan.ts';

type Props = { name: string; look: StatusLook; sessionId?: string | undefined };

/** The name of a step, as a link if it has a session, and its state. */
export function StepHead({ name, look, sessionId }: Props) {
  const isPlan = useContext(IsPlan);
  return (
    <header className={styles.head}>
      <h3 className={styles.name} dir="auto">
        {sessionId ? (
          <Link href={`/sessions/${sessionId}`} className={styles.link} title="View session">
            {name}
          </Link>
        ) : (
          name
        )}
      </h3>
      {!isPlan && (
        <span className={styles.status}>
          <StatusBadge look={look} />
        </span>
      )}
    </header>
  );
}
