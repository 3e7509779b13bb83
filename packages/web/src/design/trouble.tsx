import { Icon } from './icon.tsx';
import styles from './trouble.module.css';

/** An inline error with its hint. */
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
