import type { WorkspaceScripts } from '@baton/client';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import styles from './scripts.module.css';

type Props = {
  title: string;
  run: NonNullable<WorkspaceScripts['setup']['run']>;
  onClose: () => void;
};

/** The last lines of a script's output; they follow while it runs. */
export function ScriptOutput({ title, run, onClose }: Props) {
  const { output, problem } = run;
  return (
    <Dialog
      title={title}
      open
      wide
      isToRead
      onClose={onClose}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      {problem !== null && <p>{problem}</p>}
      {output.length === 0 ? (
        <p>No output yet. If it was started in a terminal, its output is there.</p>
      ) : (
        <pre className={styles.output}>{output.join('\n')}</pre>
      )}
    </Dialog>
  );
}
