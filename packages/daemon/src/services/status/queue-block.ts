import type { TaskStatus } from '@baton/protocol';
import type { DaemonStatus } from '@baton/protocol/wire';

export type Load = {
  /** Tasks that have not ended, by their status. */
  tasks: Partial<Record<TaskStatus, number>>;
  /** How many tasks run at the same time. */
  slots: number;
  /** How many tasks that need input run beside the slots. */
  maxAwaiting: number;
  /** What the machine of this daemon is short of. */
  shortage?: string | undefined;
};

/** How many slots tasks use: those that need input use none, up to a limit. */
export function slotsInUse({ tasks, maxAwaiting }: Omit<Load, 'slots'>): number {
  const { RUNNING = 0, STOPPING = 0, AWAITING_PERMISSION: awaiting = 0 } = tasks;
  return RUNNING + STOPPING + Math.max(0, awaiting - maxAwaiting);
}

/** Says why queued tasks do not start; nothing while there is a free slot, or nothing is queued. */
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
