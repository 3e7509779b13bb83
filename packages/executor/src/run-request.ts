import type { ExecutorStart } from '@baton/client';
import type { RunRequest } from '@baton/protocol';

/** What the agent is asked to do for a task; one that was kept ready knows what was before. */
export function runRequestOf(start: ExecutorStart, isKept: boolean): RunRequest {
  const { task, session, resume, fork, hand_over } = start;
  const isTold = hand_over !== null && !isKept;
  return {
    ...task.options,
    prompt: isTold ? `${hand_over}\n\n${task.full_prompt}` : task.full_prompt,
    cwd: session.cwd,
    permissionMode: task.permission_mode,
    ...(task.model === null ? {} : { model: task.model }),
    ...(resume === null ? {} : { resume }),
    ...(fork ? { fork } : {}),
  };
}
