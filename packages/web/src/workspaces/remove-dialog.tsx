import type { ListedWorkspace } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { useState } from 'react';
import { complain } from '../data/attempt.ts';
import { useDaemon } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import { tell } from '../design/toasts.tsx';
import styles from './workspaces.module.css';

type Props = { workspace: ListedWorkspace; onClose: () => void };

/** Asks before a worktree is removed. If its cleanup script fails, shows its output and offers to remove it anyway. */
export function RemoveDialog({ workspace, onClose }: Props) {
  const { client } = useDaemon();
  const [isRemoving, setRemoving] = useState(false);
  const [failure, setFailure] = useState<string>();
  const { workspace_id, path, status } = workspace;
  const unsaved = status?.unsaved ?? [];
  const hasFailed = failure !== undefined;
  const remove = async () => {
    const force = hasFailed || unsaved.length > 0;
    setRemoving(true);
    try {
      const { cleanup } = await client.workspaces.removeWorktree({ workspace_id, force });
      if (cleanup?.problem) tell(`${cleanup.problem} The worktree was removed anyway.`);
      onClose();
    } catch (error) {
      const isCleanup = BatonError.is(error) && error.code === 'cleanup_failed';
      if (isCleanup) setFailure(error.message);
      else complain(error);
      if (!isCleanup) onClose();
    }
    setRemoving(false);
    makeStale('workspaces');
  };
  return (
    <Dialog
      title={hasFailed ? 'The cleanup failed' : 'Remove this worktree?'}
      open
      onClose={onClose}
      actions={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="danger" busy={isRemoving} onClick={remove}>
            {hasFailed ? 'Remove anyway' : 'Remove'}
          </Button>
        </>
      }
    >
      {hasFailed ? (
        <pre className={styles.failure}>{failure}</pre>
      ) : (
        <>
          <p>
            Runs the cleanup script of the project, if it has one, and deletes the folder{' '}
            <LiteralText text={path} />. It can be restored for 30 days.
          </p>
          {unsaved.length > 0 && (
            <>
              <p>It has work that is nowhere else:</p>
              <ul>
                {unsaved.map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </>
          )}
        </>
      )}
    </Dialog>
  );
}
