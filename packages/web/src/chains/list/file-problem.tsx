import { Trouble } from '../../design/trouble.tsx';
import styles from './list.module.css';

/** What is wrong with a chains file: one line for each problem, with its position. */
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
