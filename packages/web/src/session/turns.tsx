import { type TaskRecord, taskState } from '@baton/protocol';
import { useRecords } from '../data/queries.ts';
import { useTaskStatuses } from '../data/task-status.ts';
import { Dot } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { Menu, MenuItem } from '../design/menu.tsx';
import { promptWords } from '../text/prompt-words.ts';
import { useOpen, useTasks } from './feed/open-session.tsx';
import styles from './session-header.module.css';

const MOST = 1000;

/** The prompts of the session, to jump to. */
export function Turns({ onJump }: { onJump: (cursor: number) => void }) {
  const tasks = useTasks();
  if (tasks.length === 0) return null;
  return (
    <Menu
      label="Turns"
      button={
        <Button look="quiet" icon="clock">
          Turns
        </Button>
      }
    >
      <Prompts onJump={onJump} />
    </Menu>
  );
}

/** Asks for all of them once the menu is open: the view itself only needs the latest. */
function Prompts({ onJump }: { onJump: (cursor: number) => void }) {
  const { feed } = useOpen();
  const { sessionId: session_id } = feed;
  const latest = useTasks();
  const statuses = useTaskStatuses();
  const { data } = useRecords(['tasks', session_id, 'turns'], (client) =>
    client.tasks.find({ session_id, limit: MOST }),
  );
  const all: readonly TaskRecord[] = data?.data ?? latest;
  const inOrder = [...all].sort((one, other) => one.position - other.position);
  return inOrder.map((task) => {
    const { task_id, position } = task;
    const { tone, label } = statuses[taskState(task)];
    return (
      <MenuItem key={task_id} onSelect={() => onJump(position)}>
        <Dot tone={tone} label={label} />
        <span className={`cut-line ${styles.turn}`} dir="auto">
          {promptWords(task)}
        </span>
      </MenuItem>
    );
  });
}
