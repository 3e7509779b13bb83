import type { ErrorInfo } from '@baton/protocol';
import styles from './graph.module.css';

/** Why a step failed, and what to do about it. */
export function StepProblem({ error: { message, hint } }: { error: ErrorInfo }) {
  return (
    <div className={styles.problem} dir="auto">
      {message}
      {hint && <p className={styles.hint}>{hint}</p>}
    </div>
  );
}
