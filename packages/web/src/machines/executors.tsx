import type { ExecutorRecord } from '@baton/client';
import { type TaskRecord, type TaskStatus, taskState } from '@baton/protocol';
import { useAgentName } from '../agents/agent-name.ts';
import { useNow } from '../data/now.ts';
import { useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import { useTaskStatuses } from '../data/task-status.ts';
import { Badge } from '../design/badge.tsx';
import { ClampedLink } from '../design/clamped-link.tsx';
import { Nothing } from '../design/empty.tsx';
import { Section } from '../design/page-frame.tsx';
import { Row, Rows } from '../design/rows.tsx';
import { promptWords } from '../text/prompt-words.ts';
import { duration } from '../text/time.ts';
import { Age, Lease } from './age.tsx';
import styles from './machines.module.css';
import { POLLED } from './polled.ts';

const ACTIVE: TaskStatus[] = ['RUNNING', 'AWAITING_PERMISSION', 'STOPPING'];

/** Heartbeats arrive every few seconds; without them the task is given to another executor. */
const OLD_SIGN_MS = 20_000;
/** Agents may think for minutes; a longer silence is worth a look. */
const OLD_PROGRESS_MS = 5 * 60_000;

/** The active executor processes. */
export function Executors() {
  const query = useRecords(['executors'], (client) => client.executors.find(), POLLED);
  const { data: tasks } = useRecords(['tasks', 'active'], (client) =>
    client.tasks.find({ status: ACTIVE, limit: 100 }),
  );
  return (
    <Section title="Active executors" about="One executor process per running task.">
      <QueryResult query={query}>
        {(executors) => (
          <Rows label="Executors" empty={<Nothing>No active executors.</Nothing>}>
            {executors.map((executor) => (
              <Executor
                key={executor.executor_id}
                executor={executor}
                task={tasks?.data.find(({ task_id }) => task_id === executor.task_id)}
              />
            ))}
          </Rows>
        )}
      </QueryResult>
    </Section>
  );
}

type Props = { executor: ExecutorRecord; task: TaskRecord | undefined };

function Executor({ executor, task }: Props) {
  const now = useNow();
  const { session_id, host, pid, started_at, heartbeat_at, progress_at, lease_expires_at } =
    executor;
  const agentName = useAgentName();
  const statuses = useTaskStatuses();
  const status = task && statuses[taskState(task)];
  // An agent that awaits input is not expected to make progress.
  const waits = task?.status === 'AWAITING_PERMISSION';
  return (
    <Row
      title={
        <ClampedLink href={`/sessions/${session_id}`} lines={2}>
          {task ? promptWords(task) : 'A task'}
        </ClampedLink>
      }
      badges={status && <Badge tone={status.tone}>{status.label}</Badge>}
      facts={[
        task && agentName(task.backend),
        `${host}${pid === null ? '' : `, process ${pid}`}`,
        `for ${duration(Math.max(0, now - Date.parse(started_at)))}`,
      ]}
      actions={
        <dl className={styles.ages}>
          <Age label="Last heartbeat" since={heartbeat_at} oldMs={OLD_SIGN_MS} />
          <Lease until={lease_expires_at} />
          <Age
            label="Last output"
            since={progress_at}
            oldMs={waits ? Number.POSITIVE_INFINITY : OLD_PROGRESS_MS}
          />
        </dl>
      }
    />
  );
}
