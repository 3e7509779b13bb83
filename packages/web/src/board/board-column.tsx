import type { Overlap } from '@baton/client';
import type { TaskRecord } from '@baton/protocol';
import { type DragEvent, useState } from 'react';
import { useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import { useTaskStatuses } from '../data/task-status.ts';
import { Button } from '../design/button.tsx';
import { StopQuestion } from '../session/tasks/stop-question.tsx';
import styles from './board-column.module.css';
import { type Column, dropMeans, isRunning } from './columns.ts';
import { DRAGGED, draggedTask } from './dragged-task.ts';
import { type BoardFilter, given, isFiltering } from './filter.ts';
import { useTaskActions } from './task-actions.ts';
import { TaskCard } from './task-card.tsx';

const STEP = 30;

/** The daemon gives no longer lists. */
const MOST = 1000;

/** The tasks of a column. */
export function useColumn(column: Column, filter: BoardFilter, most = STEP) {
  return useRecords(['tasks', 'board', column.id, filter, most], (client) =>
    client.tasks.find({
      status: [...column.statuses],
      archived: false,
      sort: column.id === 'queued' ? 'oldest' : 'newest',
      limit: most,
      ...given(filter),
    }),
  );
}

type Props = {
  column: Column;
  filter: BoardFilter;
  /** Running sessions that change the same files, by session. */
  overlaps: ReadonlyMap<string, Overlap[]>;
};

/** The tasks of one state, the newest first; of those that wait, the one whose turn comes next. */
export function BoardColumn({ column, filter, overlaps }: Props) {
  const [most, setMost] = useState(STEP);
  const query = useColumn(column, filter, most);
  const { data } = query;
  const statuses = useTaskStatuses();
  const title = column.title ?? statuses[column.statuses[0]].label;
  const [stopped, askToStop] = useState<TaskRecord>();
  const { isOver, ...target } = useDropTarget(column, askToStop);
  return (
    <section
      className={styles.column}
      aria-label={title}
      tabIndex={-1}
      data-focus-home=""
      data-column={column.id}
      data-over={isOver || undefined}
      {...target}
    >
      <header className={styles.head}>
        <h2>{title}</h2>
        <span className={styles.count}>{data?.total}</span>
      </header>
      <QueryResult query={query}>
        {({ total, data: tasks }) =>
          total === 0 ? (
            !isFiltering(filter) && <p className={styles.empty}>{column.empty}</p>
          ) : (
            <ul className={styles.cards}>
              {tasks.map((task) => (
                <li key={task.task_id}>
                  <TaskCard
                    task={task}
                    overlaps={isRunning(column) ? overlaps.get(task.session_id) : undefined}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </QueryResult>
      {data && data.total > data.data.length && most < MOST && (
        <Button small look="quiet" onClick={() => setMost(Math.min(MOST, most + STEP))}>
          Show more
        </Button>
      )}
      {stopped && <StopQuestion task={stopped} onClose={() => askToStop(undefined)} />}
    </section>
  );
}

function useDropTarget({ id }: Column, askToStop: (task: TaskRecord) => void) {
  const [isOver, setOver] = useState(false);
  const { retry } = useTaskActions();
  const meaning = () => {
    const task = draggedTask();
    return task && dropMeans(task.status, id);
  };
  return {
    isOver,
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes(DRAGGED) || !meaning()) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      setOver(false);
      const task = draggedTask();
      if (!task) return;
      event.preventDefault();
      if (meaning() === 'stop') askToStop(task);
      if (meaning() === 'retry') void retry(task);
    },
  };
}
