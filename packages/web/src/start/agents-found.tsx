import type { BackendRecord } from '@baton/client';
import { Link } from 'wouter';
import { READINESS, readinessOf } from '../agents/list/readiness.ts';
import { RefreshButton } from '../agents/list/refresh-button.tsx';
import { WhatToDo } from '../agents/list/what-to-do.tsx';
import { Badge } from '../design/badge.tsx';
import { Section } from '../design/page-frame.tsx';
import styles from './agents-found.module.css';

/** The agents on this machine, and the missing steps of those that are not ready. */
export function AgentsFound({ backends }: { backends: readonly BackendRecord[] }) {
  return (
    <Section title="Agents on this machine" actions={<RefreshButton backends={backends} />}>
      <ul className={styles.agents}>
        {backends.map((backend) => (
          <li key={backend.id} className={styles.agent}>
            <Agent backend={backend} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Agent({ backend }: { backend: BackendRecord }) {
  const { id, label, probe } = backend;
  const { label: words, tone } = READINESS[readinessOf(backend)];
  return (
    <>
      <div className={styles.head}>
        <Link href={`/agents/${id}`} className={styles.name}>
          {label}
        </Link>
        <Badge tone={tone}>{words}</Badge>
      </div>
      {probe.version && <p className={styles.about}>Version {probe.version}</p>}
      <WhatToDo backend={backend} />
    </>
  );
}
