import type { ExecutorStart } from '@baton/client';
import type { RunRequest } from '@baton/protocol';

/** What the agent is asked to do for a task. */
export function runRequestOf({
  task,
  session,
  resume,
  fork,
  hand_over,
}: ExecutorStart): RunRequest {
  return {
    ...task.options,
    prompt: hand_over === null ? task.full_prompt : `${hand_over}\n\n${task.full_prompt}`,
    cwd: session.cwd,
    permissionMode: task.permission_mode,
    ...(task.model === null ? {} : { model: task.model }),
    ...(resume === null ? {} : { resume }),
    ...(fork ? { fork } : {}),
  };
}
