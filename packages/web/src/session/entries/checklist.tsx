import type { PlanEntry } from '@baton/protocol';
import { Icon } from '../../design/icon.tsx';
import styles from './checklist.module.css';

const WORDS = { pending: 'To do', in_progress: 'In progress', completed: 'Done' } as const;

/** The steps of a plan, and which are done. */
export function Checklist({ entries }: { entries: readonly PlanEntry[] }) {
  return (
    <ul className={styles.list}>
      {entries.map(({ text, status }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps have no name
        <li key={index} className={styles.step} data-status={status}>
          <span className={styles.mark}>
            {status === 'completed' && <Icon name="check" size={12} />}
            <span className="only-for-readers">{WORDS[status]}</span>
          </span>
          <span dir="auto">{text}</span>
        </li>
      ))}
    </ul>
  );
}
