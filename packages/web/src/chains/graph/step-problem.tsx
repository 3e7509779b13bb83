import type { ErrorInfo } from '@baton/protocol';
import styles from './graph.module.css';

/** The error of a step, with its hint. */
export function StepProblem({ error: { message, hint } }: { error: ErrorInfo }) {
  return (
    <div className={styles.problem} dir="auto">
      {message}
      {hint && <p className={styles.hint}>{hint}</p>}
    </div>
  );
}
