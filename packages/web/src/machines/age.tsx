import { useNow } from '../data/now.ts';
import { Icon } from '../design/icon.tsx';
import { duration } from '../text/time.ts';
import styles from './machines.module.css';

const MINUTE_MS = 60_000;

/** How long ago something was last seen, in a tone of warning when that is too long. */
export function Age({ label, since, oldMs }: { label: string; since: string; oldMs: number }) {
  const now = useNow();
  const age = Math.max(0, now - Date.parse(since));
  const isOld = age > oldMs;
  return (
    <div className={styles.age} data-old={isOld || undefined}>
      <dt>{label}</dt>
      <dd>
        {isOld && <Icon name="warning" size={14} />}
        {age < MINUTE_MS ? `${Math.floor(age / 1000)} s` : duration(age)} ago
      </dd>
    </div>
  );
}
