import { isTaskEvent, type LogEvent, type TaskEvent } from '@baton/protocol';
import type { ChaosTask } from '../tasks.ts';

/** Log of one task. */
export type TaskStory = {
  task: ChaosTask;
  /** The events of its run, in order. */
  events: readonly TaskEvent[];
  executorIds: readonly string[];
  /** Number of times it was queued again because no agent had seen it. */
  requeues: number;
  /** Number of times it resumed after a pause, because its executor was gone while it waited for an answer. */
  resumes: number;
  /** True if the daemon has ended it in place of its executor. */
  isLost: boolean;
  /** Text of its agent, including thinking. */
  text: string;
};

/** Extracts the events of a task from the log of its session. */
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
