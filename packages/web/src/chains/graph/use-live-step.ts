import { isFinal, type ListedTask, type StepState, taskState, type Usage } from '@baton/protocol';
import { useRecords } from '../../data/queries.ts';
import { useTaskStatuses } from '../../data/task-status.ts';
import { CHAIN_LOOKS, NOT_STARTED, type StatusLook } from '../status/chain-status.ts';

/** The tasks of one step: a step that was interrupted continues in the same session. */
const MOST = 10;

type LiveStep = { look: StatusLook; progress?: string | null; usage?: Usage | undefined };

/** The state of a step; while its task is active, what that does now, and whether it is queued or needs input. */
export function useLiveStep(state: StepState | undefined): LiveStep {
  const statuses = useTaskStatuses();
  const task = useActiveTask(state);
  if (!state) return { look: NOT_STARTED };
  if (!task) return { look: CHAIN_LOOKS[state.status] };
  const { progress, cost_usd, cost_estimated } = task;
  const usage =
    cost_usd === null ? undefined : { costUsd: cost_usd, costEstimated: cost_estimated };
  return { look: statuses[taskState(task)], progress, usage };
}

function useActiveTask(state: StepState | undefined): ListedTask | undefined {
  const isActive = state?.status === 'running' && state.sessionId !== undefined;
  const session_id = state?.sessionId ?? '';
  const { data } = useRecords(
    ['tasks', session_id, 'step'],
    (client) => client.tasks.find({ session_id, limit: MOST }),
    { enabled: isActive },
  );
  if (!isActive) return undefined;
  const task = data?.data.find(({ task_id }) => task_id === state.taskId);
  return task && !isFinal(task.status) ? task : undefined;
}
