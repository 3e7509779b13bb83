import { isFinal } from '@baton/protocol';
import { useMay } from '../../data/daemon.tsx';
import { IconButton } from '../../design/button.tsx';
import { Menu, MenuItem } from '../../design/menu.tsx';
import { useOpen, useSession, useTasks } from '../feed/open-session.tsx';
import { isWorking } from '../tasks/current-task.ts';
import { usePromptActions } from '../tasks/prompt-actions.ts';
import styles from './entries.module.css';
import type { PromptEntry } from './entry-of.ts';

const RETRY = 'Retry in a fork';
const FORK = 'Fork before this prompt';

/** The actions on a prompt: a menu, and buttons for the frequent ones once the turn has ended. */
export function PromptMenu({ entry }: { entry: PromptEntry }) {
  const { taskId, text, attachments } = entry;
  const may = useMay('member');
  const { editAndRetry, askToUndo } = useOpen();
  const canUndo = useCanUndo(taskId);
  const canFork = useCanFork(taskId);
  const { fork, retry, copy } = usePromptActions();
  const isOver = useIsOver(taskId);
  return (
    <span className={styles.promptMenu}>
      {may && taskId && isOver && (
        <span className={styles.atHand}>
          <IconButton small label={RETRY} icon="retry" onClick={() => retry(taskId)} />
          <IconButton
            small
            label={FORK}
            icon="fork"
            onClick={() => fork({ taskId, text, attachments })}
          />
        </span>
      )}
      <Menu label="Prompt actions" button={<IconButton small label="Prompt actions" icon="more" />}>
        <MenuItem icon="copy" onSelect={() => copy(text)}>
          Copy
        </MenuItem>
        {may && taskId && (
          <>
            <MenuItem icon="retry" onSelect={() => retry(taskId)}>
              {RETRY}
            </MenuItem>
            <MenuItem icon="edit" onSelect={() => editAndRetry(taskId, text)}>
              Edit and retry
            </MenuItem>
            <MenuItem icon="fork" onSelect={() => fork({ taskId, text, attachments })}>
              {FORK}
            </MenuItem>
            {canUndo && (
              <MenuItem icon="retry" onSelect={() => retry(taskId, 'restored')}>
                Retry with the files as they were
              </MenuItem>
            )}
            {canFork && (
              <MenuItem
                icon="fork"
                onSelect={() => fork({ taskId, text, attachments }, 'worktree')}
              >
                Fork with the files of this turn
              </MenuItem>
            )}
            {canUndo && (
              <MenuItem icon="retry" onSelect={() => askToUndo(taskId)}>
                Undo this turn
              </MenuItem>
            )}
          </>
        )}
      </Menu>
    </span>
  );
}

/** True if the turn has run and no agent works in the files of the session. */
function useCanUndo(taskId: string | undefined): boolean {
  const tasks = useTasks();
  const task = tasks.find(({ task_id }) => task_id === taskId);
  const hasWorkspace = tasks.some(({ repository }) => repository !== null);
  return hasWorkspace && task?.started_at !== null && !isWorking(tasks);
}

/** True if the turn has run in a repository, so that a worktree can have its files. */
function useCanFork(taskId: string | undefined): boolean {
  const { workspace } = useSession();
  const task = useTasks().find(({ task_id }) => task_id === taskId);
  const hasRun = task !== undefined && task.started_at !== null;
  return hasRun && workspace !== null && workspace.kind !== 'folder';
}

/** Only the latest tasks are known here; the turn of any other is long over. */
function useIsOver(taskId: string | undefined): boolean {
  const task = useTasks().find(({ task_id }) => task_id === taskId);
  return !task || isFinal(task.status);
}
