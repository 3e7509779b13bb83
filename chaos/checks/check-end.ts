import type { TaskRow } from '@baton/store';
import { expect } from 'vitest';
import type { Deeds } from '../faults.ts';
import type { TaskStory } from './task-story.ts';

/**
 * The one right end of a task. Lost are only those whose executors were killed when an agent may have seen them; one that
 * no agent has seen is queued again, whichever process died. Failed are those whose agents were killed; all others are complete.
 */
export function checkEnd(story: TaskStory, row: TaskRow, deeds: Deeds): void {
  const about = `task ${row.task_id}: ${row.status} ${row.error ?? ''}`;
  const executorId = story.executorIds.at(-1) ?? '';
  if (story.isLost) {
    expect(row.status, about).toBe('FAILED');
    expect(JSON.parse(row.error ?? '{}'), about).toMatchObject({ code: 'interrupted' });
    const isReason = deeds.killedExecutors.has(executorId);
    expect(isReason, `there was a reason for ${about}`).toBe(true);
    return;
  }
  if (row.status === 'COMPLETED') return;
  expect(row.status, about).toBe('FAILED');
  expect(deeds.killedAgents.has(executorId), `there was a reason for ${about}`).toBe(true);
}
