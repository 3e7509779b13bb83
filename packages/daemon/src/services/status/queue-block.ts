import type { TaskStatus } from '@baton/protocol';
import type { DaemonStatus } from '@baton/protocol/wire';

export type Load = {
  /** Tasks that have not ended, by their status. */
  tasks: Partial<Record<TaskStatus, number>>;
  /** Maximum number of concurrent tasks. */
  slots: number;
  /** Maximum number of tasks that need input, in addition to the slots. */
  maxAwaiting: number;
  /** Resource shortage of this daemon's machine. */
  shortage?: string | undefined;
};

/** Counts the slots in use: tasks that need input use none, up to a limit. */
export function slotsInUse({ tasks, maxAwaiting }: Omit<Load, 'slots'>): number {
  const { RUNNING = 0, STOPPING = 0, AWAITING_PERMISSION: awaiting = 0 } = tasks;
  return RUNNING + STOPPING + Math.max(0, awaiting - maxAwaiting);
}

/** Explains why queued tasks do not start; null if a slot is free, or nothing is queued. */
export function queueBlock(load: Load): DaemonStatus['queue_block'] {
  const { tasks, slots, maxAwaiting } = load;
  if (!tasks.QUEUED) return null;
  if (slots === 0) {
    return {
      code: 'no_slots',
      message: 'Blocked: no daemon has slots. Start an executor, or a daemon with --slots.',
    };
  }
  if (load.shortage !== undefined) {
    return {
      code: 'no_resources',
      message: `Waiting for resources, then trying again: ${load.shortage}`,
    };
  }
  if (slotsInUse(load) < slots) return null;
  const { AWAITING_PERMISSION: awaiting = 0 } = tasks;
  if (awaiting > maxAwaiting) {
    const who = awaiting === 1 ? '1 task needs' : `${awaiting} tasks need`;
    return { code: 'needs_input', message: `Blocked: ${who} input.` };
  }
  return {
    code: 'slots_in_use',
    message: slots === 1 ? 'The only slot is in use.' : `All ${slots} slots are in use.`,
  };
}
