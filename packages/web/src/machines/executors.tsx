import type { ExecutorRecord } from '@baton/client';
import type { TaskRecord } from '@baton/protocol';
import { useAgentName } from '../agents/agent-name.ts';
import { Answered } from '../data/answered.tsx';
import { useNow } from '../data/now.ts';
import { useRecords } from '../data/queries.ts';
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

const ACTIVE = ['RUNNING', 'AWAITING_PERMISSION', 'STOPPING'];

/** Signs of life come every few seconds; without some the task is given to another one. */
const OLD_SIGN_MS = 20_000;
/** Agents may think for minutes; longer than that somebody should look. */
const OLD_PROGRESS_MS = 5 * 60_000;

/** The processes that carry out tasks just now. */
export function Executors() {
  const query = useRecords(['executors'], (client) => client.executors.find(), POLLED);
  const { data: tasks } = useRecords(['tasks', 'active'], (client) =>
    client.tasks.find({ status: ACTIVE, limit: 100, brief: true }),
  );
  return (
    <Section title="At work" about="One process for each task, with an agent in it.">
      <Answered query={query}>
        {(executors) => (
          <Rows label="Executors" empty={<Nothing>No agent works just now.</Nothing>}>
            {executors.map((executor) => (
              <Executor
                key={executor.executor_id}
                executor={executor}
                task={tasks?.data.find(({ task_id }) => task_id === executor.task_id)}
              />
            ))}
          </Rows>
        )}
      </Answered>
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
  const status = task && statuses[task.status];
  // Nobody expects an agent to go on that waits for a person.
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
          <Age label="Sign of life" since={heartbeat_at} oldMs={OLD_SIGN_MS} />
          <Lease until={lease_expires_at} />
          <Age
            label="Progress"
            since={progress_at}
            oldMs={waits ? Number.POSITIVE_INFINITY : OLD_PROGRESS_MS}
          />
        </dl>
      }
    />
  );
}
