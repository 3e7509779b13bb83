import { CopyLine } from '../design/copy-line.tsx';
import styles from './secret-once.module.css';

type Props = { secret: string; label: string; children: string };

/** A secret that is shown this once. */
export function SecretOnce({ secret, label, children }: Props) {
  return (
    <div className={styles.once} role="status">
      <p>{children}</p>
      <CopyLine text={secret} label={label} />
    </div>
  );
}

/** The one-time link of a user. */
export function LinkOnce({ name, secret }: { name: string; secret: string }) {
  return (
    <SecretOnce secret={`${location.origin}/#link=${secret}`} label="Copy the link">
      {`This link signs ${name} in, once and within a day. It is not shown again.`}
    </SecretOnce>
  );
}
