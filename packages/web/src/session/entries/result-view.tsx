import { type Outcome, showUnseenInText, type Usage } from '@baton/protocol';
import { useMay } from '../../data/daemon.tsx';
import { Badge, type Tone } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { compact, cost, ESTIMATE_WORDS } from '../../text/amounts.ts';
import { duration, taskTime } from '../../text/time.ts';
import { useSession, useTasks } from '../feed/open-session.tsx';
import { usePromptActions } from '../tasks/prompt-actions.ts';
import { ResumeButton } from '../tasks/resume-button.tsx';
import styles from './entries.module.css';
import type { ResultEntry } from './entry-of.ts';

const OUTCOMES: Readonly<Record<Outcome, { words: string; tone: Tone }>> = {
  done: { words: 'Done', tone: 'good' },
  failed: { words: 'Failed', tone: 'bad' },
  timed_out: { words: 'Timed out', tone: 'bad' },
  cancelled: { words: 'Stopped', tone: 'neutral' },
};

const INTERRUPTED = { words: 'Interrupted', tone: 'warn' } as const;

/** Outcome and cost of a turn. */
export function ResultView({
  entry: { outcome, error, usage, durationMs, stop, taskId },
}: {
  entry: ResultEntry;
}) {
  const isInterrupted = outcome === 'failed' && error?.code === 'interrupted';
  const { words, tone } = isInterrupted
    ? INTERRUPTED
    : (OUTCOMES[outcome] ?? { words: outcome, tone: 'neutral' });
  const { retry } = usePromptActions();
  const mayAct = useMay('member');
  const time = useTime(taskId, durationMs);
  const isTold = error && outcome !== 'cancelled';
  const retryButton = mayAct && taskId && (
    <Button
      small
      icon="retry"
      title="Runs the prompt again in a fork from just before it"
      onClick={() => retry(taskId)}
    >
      Retry
    </Button>
  );
  return (
    <div className={styles.result}>
      <div className={styles.resultLine}>
        <Badge tone={tone}>{words}</Badge>
        {time !== undefined && <span>{duration(time)}</span>}
        {usage && <span title={everyToken(usage)}>{usageWords(usage)}</span>}
        {stop?.state === 'unverified' && (
          <Badge tone="warn">some processes may still be running</Badge>
        )}
        {outcome === 'cancelled' && retryButton}
      </div>
      {stop?.reason && <p className={styles.faint}>{showUnseenInText(stop.reason)}</p>}
      {isTold && (
        <div className={styles.failure} data-tone={tone} role="note">
          <strong dir="auto">{showUnseenInText(error.message)}</strong>
          {error.hint && <p dir="auto">{error.hint}</p>}
          <div className={styles.failureActions}>
            {isInterrupted && mayAct && taskId && <Resume taskId={taskId} />}
            {retryButton}
          </div>
        </div>
      )}
    </div>
  );
}

/** Resumes the last turn; not shown once the session has continued. */
function Resume({ taskId }: { taskId: string }) {
  const { session_id } = useSession();
  const tasks = useTasks();
  const task = tasks.find(({ task_id }) => task_id === taskId);
  const isLast = task && tasks.every(({ position }) => position <= task.position);
  return isLast && <ResumeButton task={{ session_id, task_id: taskId }} />;
}

/** The duration of a task; for an old task that is not loaded, the duration that its agent reported. */
function useTime(taskId: string | undefined, durationMs: number): number | undefined {
  const task = useTasks().find(({ task_id }) => task_id === taskId);
  if (!task) return durationMs;
  return task.completed_at === null ? undefined : taskTime(task, 0);
}

function usageWords(usage: Usage): string {
  const { inputTokens, outputTokens, totalTokens, costUsd, costEstimated } = usage;
  const tokens =
    inputTokens === undefined && outputTokens === undefined
      ? totalTokens !== undefined && `${compact(totalTokens)} tokens`
      : `${compact(inputTokens ?? 0)} in, ${compact(outputTokens ?? 0)} out`;
  return [
    tokens,
    costUsd !== undefined && costUsd > 0 && cost(costUsd, { isEstimated: costEstimated }),
  ]
    .filter(Boolean)
    .join(' · ');
}

function everyToken(usage: Usage): string {
  const known: [string, number | undefined][] = [
    ['input', usage.inputTokens],
    ['from cache', usage.cachedInputTokens],
    ['to cache', usage.cacheWriteTokens],
    ['output', usage.outputTokens],
    ['reasoning', usage.reasoningTokens],
  ];
  const lines = known
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}`);
  if (usage.costEstimated) lines.push(`cost: ${ESTIMATE_WORDS.toLowerCase()}`);
  return lines.join('\n');
}
