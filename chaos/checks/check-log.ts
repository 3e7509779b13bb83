import type { LogEvent } from '@baton/protocol';
import { expect } from 'vitest';
import type { Deeds } from '../faults.ts';
import type { TaskStory } from './task-story.ts';

/** Every event has its place, and every place an event. */
export function checkCursors(log: readonly LogEvent[]): void {
  expect(log.map(({ cursor }) => cursor)).toEqual(log.map((_, index) => index + 1));
}

/** A task ran once, or resumed where it waited: its events are numbered without a gap, and its end comes once and last. */
export function checkRun({ task, events, executorIds, requeues, resumes }: TaskStory): void {
  const about = `task ${task.taskId}`;
  expect(executorIds, about).toHaveLength(1 + requeues + resumes);
  expect(
    events.map(({ seq }) => seq),
    about,
  ).toEqual(events.map((_, index) => index + 1));
  const ends = events.filter(({ type }) => type === 'run.completed');
  expect(ends, about).toEqual([events.at(-1)]);
}

/** A message is, in the end, what its pieces are together. */
export function checkMessages({ task, events }: TaskStory): void {
  const said = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'message.started') said.set(event.messageId, '');
    if (event.type === 'message.delta') {
      said.set(event.messageId, (said.get(event.messageId) ?? '') + event.text);
    }
    if (event.type !== 'message.completed') continue;
    expect(event.text, `task ${task.taskId}`).toBe(said.get(event.messageId));
    said.delete(event.messageId);
  }
  expect([...said.keys()], `open messages of task ${task.taskId}`).toEqual([]);
}

/** Whatever a killed executor had in its spool is in the log. */
export function checkSpool({ task, events, executorIds }: TaskStory, deeds: Deeds): void {
  const runId = events[0]?.runId;
  // An executor that keeps its agent has carried out other tasks before.
  const spooled = executorIds
    .flatMap((id) => deeds.killedExecutors.get(id) ?? [])
    .filter((event) => event.runId === runId);
  const kept = new Map(events.map(({ cursor: _cursor, taskId: _id, ...said }) => [said.seq, said]));
  for (const event of spooled) {
    expect(kept.get(event.seq), `event ${event.seq} of task ${task.taskId}`).toEqual(event);
  }
}
