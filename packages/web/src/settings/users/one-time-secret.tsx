import { CopyLine } from '../../design/copy-line.tsx';
import styles from './one-time-secret.module.css';

type Props = { secret: string; label: string; children: string };

/** A secret that is shown this once. */
export function OneTimeSecret({ secret, label, children }: Props) {
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
    <OneTimeSecret secret={`${location.origin}/#link=${secret}`} label="Copy link">
      {`One-time sign-in link for ${name}. Expires in 24 hours and won’t be shown again.`}
    </OneTimeSecret>
  );
}
