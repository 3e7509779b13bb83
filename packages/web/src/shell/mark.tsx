import styles from './mark.module.css';

/** The mark of Baton, with its name. */
export function Mark() {
  return (
    <span className={styles.mark}>
      <svg aria-hidden="true" width="26" height="26" viewBox="0 0 32 32">
        <rect width="32" height="32" rx="8" className={styles.ground} />
        <path d="M8 24 21 11" className={styles.stick} />
        <circle cx="23.5" cy="8.5" r="3.5" className={styles.tip} />
      </svg>
      Baton
    </span>
  );
}
