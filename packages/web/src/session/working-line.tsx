import { type TaskRecord, taskState } from '@baton/protocol';
import { useNow } from '../data/now.ts';
import { useTaskStatuses } from '../data/task-status.ts';
import { Dot } from '../design/badge.tsx';
import { duration } from '../text/time.ts';
import { useTasks } from './feed/open-session.tsx';
import { currentTask } from './tasks/current-task.ts';
import { WhyQueued } from './tasks/why-queued.tsx';
import styles from './transcript.module.css';

/** At the end of the transcript: what the agent does now, and for how long. */
export function WorkingLine() {
  const tasks = useTasks();
  const task = currentTask(tasks);
  return task ? <Working task={task} /> : null;
}

function Working({ task }: { task: TaskRecord }) {
  const now = useNow();
  const state = taskState(task);
  const { label, tone } = useTaskStatuses()[state];
  const since = task.started_at ?? task.created_at;
  return (
    <div className={styles.working} role="status">
      <Dot tone={tone} alive={state !== 'PAUSED'} />
      {state === 'PAUSED' ? `${label} · agent paused, resumes on answer` : label}
      {task.status !== 'AWAITING_PERMISSION' && (
        <span aria-hidden="true">{duration(Math.max(0, now - new Date(since).getTime()))}</span>
      )}
      {task.status === 'QUEUED' && <WhyQueued />}
    </div>
  );
}
