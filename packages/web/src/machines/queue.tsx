import type { ListedTask } from '@baton/protocol';
import { Link } from 'wouter';
import { Answered } from '../data/answered.tsx';
import { useNow } from '../data/now.ts';
import { useRecords } from '../data/queries.ts';
import { Section } from '../design/page-frame.tsx';
import { Row, Rows } from '../design/rows.tsx';
import { WhyQueued } from '../session/why-queued.tsx';
import { some } from '../text/amounts.ts';
import { promptWords } from '../text/prompt-words.ts';
import { timeAgo } from '../text/time.ts';
import styles from './machines.module.css';

const MOST = 100;

/** The tasks that wait for their turn, the next one first. */
export function Queue() {
  const query = useRecords(['tasks', 'queue'], (client) =>
    client.tasks.find({ status: 'QUEUED', sort: 'oldest', brief: true, limit: MOST }),
  );
  return (
    <Section
      title="Queue"
      about="The longest waiting first; in one session tasks run one after another."
    >
      <Answered query={query}>
        {({ total, data: tasks }) =>
          tasks.length === 0 ? (
            <p className={styles.nothing}>Nothing waits for its turn.</p>
          ) : (
            <>
              <Rows label="Queued tasks">
                {tasks.map((task) => (
                  <Queued key={task.task_id} task={task} />
                ))}
              </Rows>
              {total > tasks.length && (
                <p className={styles.nothing}>And {some(total - tasks.length, 'more task')}.</p>
              )}
            </>
          )
        }
      </Answered>
    </Section>
  );
}

function Queued({ task }: { task: ListedTask }) {
  const now = useNow();
  const { session_id, backend, created_at, waits_behind } = task;
  return (
    <Row
      title={
        <Link href={`/sessions/${session_id}`} dir="auto" className={styles.task}>
          {promptWords(task)}
        </Link>
      }
      facts={[
        backend,
        `asked ${timeAgo(created_at, now)}`,
        waits_behind > 0 && <WhyQueued key="why" behind={waits_behind} />,
      ]}
    />
  );
}
