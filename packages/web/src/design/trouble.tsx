import { Icon } from './icon.tsx';
import styles from './trouble.module.css';

/** What went wrong, where it went wrong, and what to do about it. */
export function Trouble({ message, hint }: { message: string; hint?: string | undefined }) {
  return (
    <div className={styles.trouble} role="alert">
      <Icon name="warning" size={16} />
      <div className={styles.words} dir="auto">
        {message}
        {hint && <div className={styles.hint}>{hint}</div>}
      </div>
    </div>
  );
}
