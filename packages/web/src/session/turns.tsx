import { Dot } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { Menu, MenuItem } from '../design/menu.tsx';
import { TASK_STATUS } from '../text/task-status.ts';
import { useTasks } from './open-session.tsx';
import styles from './session-header.module.css';

/** The prompts of the session, to jump to. */
export function Turns({ onJump }: { onJump: (cursor: number) => void }) {
  const tasks = useTasks();
  if (tasks.length === 0) return null;
  const inOrder = [...tasks].sort((one, other) => one.position - other.position);
  return (
    <Menu
      label="Turns"
      button={
        <Button look="quiet" icon="clock">
          Turns
        </Button>
      }
    >
      {inOrder.map(({ task_id, position, status, description }) => {
        const { tone, label } = TASK_STATUS[status];
        return (
          <MenuItem key={task_id} onSelect={() => onJump(position)}>
            <Dot tone={tone} label={label} />
            <span className={styles.turn} dir="auto">
              {description}
            </span>
          </MenuItem>
        );
      })}
    </Menu>
  );
}
