import { Trouble } from '../../design/trouble.tsx';
import styles from './file.module.css';

/** The errors of a chains file: one line for each, with its position. */
export function FileProblem({ problem }: { problem: string }) {
  return (
    <div className={styles.problem}>
      <Trouble
        message={problem}
        hint="Fix the file. The page reads it again after a few seconds."
      />
    </div>
  );
}
