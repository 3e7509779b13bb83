import type { TaskRow } from '@baton/store';
import { expect } from 'vitest';
import type { Deeds } from '../faults.ts';
import type { RoundPlan } from '../plan.ts';
import type { TaskStory } from './task-story.ts';

/**
 * The one right end of a task. Lost are those whose executors were killed before they could say the end, and those
 * that were only just claimed when the daemon or its database died, so that no agent was ever started. Failed are
 * those whose agents were killed; all others are complete.
 */
export function checkEnd(story: TaskStory, row: TaskRow, deeds: Deeds, plan: RoundPlan): void {
  const about = `task ${row.task_id}: ${row.status} ${row.error ?? ''}`;
  const executorId = story.executorIds[0] ?? '';
  if (story.isLost) {
    expect(row.status, about).toBe('FAILED');
    expect(JSON.parse(row.error ?? '{}'), about).toMatchObject({ code: 'interrupted' });
    const isReason = deeds.killedExecutors.has(executorId) || wasNeverStarted(story, plan);
    expect(isReason, `there was a reason for ${about}`).toBe(true);
    return;
  }
  if (row.status === 'COMPLETED') return;
  expect(row.status, about).toBe('FAILED');
  expect(deeds.killedAgents.has(executorId), `there was a reason for ${about}`).toBe(true);
}

function wasNeverStarted({ events }: TaskStory, { faults }: RoundPlan): boolean {
  const isBlank = events.every(({ type }) => type === 'run.completed');
  return isBlank && faults.some(({ kind }) => STARTS_NOTHING.has(kind));
}

const STARTS_NOTHING: ReadonlySet<string> = new Set(['kill the daemon', 'kill PostgreSQL']);
