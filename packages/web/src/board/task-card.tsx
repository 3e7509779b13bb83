import type { Overlap } from '@baton/client';
import { isFinal, type ListedTask, showUnseenInLine, taskState } from '@baton/protocol';
import { useAgentName } from '../agents/agent-name.ts';
import { OverlapNote } from '../changes/overlap-note.tsx';
import { useMay } from '../data/daemon.tsx';
import { useNow } from '../data/now.ts';
import { useTaskStatuses } from '../data/task-status.ts';
import { Dot } from '../design/badge.tsx';
import { IconButton } from '../design/button.tsx';
import { ClampedLink } from '../design/clamped-link.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import { Menu, MenuItem } from '../design/menu.tsx';
import surface from '../design/surface.module.css';
import { ResumeButton } from '../session/tasks/resume-button.tsx';
import { useStopTask } from '../session/tasks/stop-task.ts';
import { WhyQueued } from '../session/tasks/why-queued.tsx';
import { cost, count, ESTIMATE_WORDS, some } from '../text/amounts.ts';
import { folderName } from '../text/folder-name.ts';
import { promptWords } from '../text/prompt-words.ts';
import { duration, taskTime, timeAgo } from '../text/time.ts';
import { DRAGGED, drag } from './dragged-task.ts';
import { useTaskActions } from './task-actions.ts';
import styles from './task-card.module.css';

type Props = {
  task: ListedTask;
  /** Other running sessions that change the same files. */
  overlaps?: readonly Overlap[] | undefined;
};

/** One task on the board. */
export function TaskCard({ task, overlaps }: Props) {
  const mayAct = useMay('member');
  const state = taskState(task);
  const { label, tone, isAlive } = useTaskStatuses()[state];
  return (
    <article
      className={`${surface.surface} ${styles.card}`}
      draggable={mayAct && task.status !== 'COMPLETED' && task.status !== 'STOPPING'}
      onDragStart={(event) => {
        drag(task);
        event.dataTransfer.setData(DRAGGED, task.task_id);
      }}
      onDragEnd={() => drag(undefined)}
    >
      <div className={styles.head}>
        <Dot tone={tone} alive={isAlive} label={label} />
        <div className={styles.prompt}>
          <ClampedLink href={`/sessions/${task.session_id}`} lines={3}>
            {promptWords(task)}
          </ClampedLink>
        </div>
        {mayAct && <TaskMenu task={task} />}
      </div>
      {task.progress && (
        <p className={styles.progress} dir="auto">
          {task.progress}
        </p>
      )}
      {task.status === 'QUEUED' && (task.queue_paused || task.waits_behind > 0) && (
        <p className={styles.why}>
          <WhyQueued behind={task.waits_behind} isPaused={task.queue_paused} />
        </p>
      )}
      {state === 'PAUSED' && <p className={styles.why}>Agent paused, resumes on answer</p>}
      {state === 'INTERRUPTED' && (
        <div className={styles.interrupted}>
          <span>{label}</span>
          {mayAct && <ResumeButton task={task} />}
        </div>
      )}
      {state === 'FAILED' && task.error && (
        <p className={styles.error} dir="auto">
          {task.error.message}
        </p>
      )}
      {overlaps && <OverlapNote overlaps={overlaps} />}
      <Facts task={task} />
    </article>
  );
}

function Facts({ task }: { task: ListedTask }) {
  const agentName = useAgentName();
  const { changes } = task;
  // The folder of a worktree has the name of its branch.
  const folder = (task.branch && task.repository) || task.cwd;
  return (
    <ul className={styles.facts}>
      <li>{agentName(task.backend)}</li>
      <li title={showUnseenInLine(task.cwd)}>{folderName(folder)}</li>
      {task.branch && (
        <li title={showUnseenInLine(`Worktree on ${task.branch}`)}>
          <LiteralText text={task.branch} />
        </li>
      )}
      {changes && changes.files > 0 && (
        <li title={`${some(changes.files, 'file')} changed`}>
          +{count(changes.additions)} −{count(changes.deletions)}
        </li>
      )}
      <Times task={task} />
      {task.cost_usd !== null && task.cost_usd > 0 && (
        <li title={task.cost_estimated ? ESTIMATE_WORDS : undefined}>
          {cost(task.cost_usd, { isEstimated: task.cost_estimated })}
        </li>
      )}
    </ul>
  );
}

function Times({ task }: { task: ListedTask }) {
  const now = useNow();
  const { completed_at, created_at } = task;
  const time = taskTime(task, now);
  if (time === undefined) return <li>asked {timeAgo(created_at, now)}</li>;
  return (
    <>
      {completed_at && <li>{timeAgo(completed_at, now)}</li>}
      <li>
        {completed_at && 'took '}
        {duration(time)}
      </li>
    </>
  );
}

function TaskMenu({ task }: { task: ListedTask }) {
  const stop = useStopTask();
  const { retry, archive } = useTaskActions();
  const isOver = isFinal(task.status);
  return (
    <Menu label="Task actions" button={<IconButton small label="Task actions" icon="more" />}>
      {!isOver && task.status !== 'STOPPING' && (
        <MenuItem icon="stop" onSelect={() => stop(task)}>
          Stop
        </MenuItem>
      )}
      {isOver && (
        <MenuItem icon="retry" onSelect={() => retry(task)}>
          Retry in a fork
        </MenuItem>
      )}
      <MenuItem icon="archive" disabled={!isOver} onSelect={() => archive(task)}>
        Archive session
      </MenuItem>
    </Menu>
  );
}
