import { CopyButton } from './copy-button.tsx';
import styles from './copy-line.module.css';

/** A text to copy: a command, a link or a secret. */
export function CopyLine({ text, label }: { text: string; label: string }) {
  return (
    <div className={styles.line}>
      <code className={styles.text}>{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  );
}
