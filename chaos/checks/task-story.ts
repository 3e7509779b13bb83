import { isTaskEvent, type LogEvent, type TaskEvent } from '@baton/protocol';
import type { ChaosTask } from '../tasks.ts';

/** All that the log has of one task. */
export type TaskStory = {
  task: ChaosTask;
  /** Those of its run, in order. */
  events: readonly TaskEvent[];
  executorIds: readonly string[];
  /** How often it was queued again, because no agent had seen it. */
  requeues: number;
  /** How often it resumed after a pause, because its executor was gone while it waited for an answer. */
  resumes: number;
  /** The daemon has ended it in place of its executor. */
  isLost: boolean;
  /** What its agent said, thoughts too. */
  text: string;
};

/** Picks from the log of a session what belongs to a task. */
export function storyOf(task: ChaosTask, log: readonly LogEvent[]): TaskStory {
  const own = log.filter((event) => 'taskId' in event && event.taskId === task.taskId);
  const events = own.filter(isTaskEvent);
  return {
    task,
    events,
    executorIds: own.flatMap((event) => (event.type === 'task.started' ? event.executorId : [])),
    requeues: own.filter(({ type }) => type === 'task.requeued').length,
    resumes: own.filter(({ type }) => type === 'task.resumed').length,
    isLost: own.some(({ type }) => type === 'task.lost'),
    text: events.map((event) => (event.type === 'message.delta' ? event.text : '')).join(''),
  };
}
