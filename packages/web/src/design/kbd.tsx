import styles from './kbd.module.css';

/** A key to press; an inactive one does nothing now. */
export function Kbd({ inactive, children }: { inactive?: boolean; children: string }) {
  return (
    <kbd className={styles.kbd} data-inactive={inactive || undefined}>
      {children}
    </kbd>
  );
}
