import type { ListedTask } from '@baton/protocol';
import { useAgentName } from '../agents/agent-name.ts';
import { useNow } from '../data/now.ts';
import { useRecords } from '../data/queries.ts';
import { QueryResult } from '../data/query-result.tsx';
import { ClampedLink } from '../design/clamped-link.tsx';
import { Nothing } from '../design/empty.tsx';
import { Section } from '../design/page-frame.tsx';
import { Row, Rows } from '../design/rows.tsx';
import { WhyQueued } from '../session/tasks/why-queued.tsx';
import { some } from '../text/amounts.ts';
import { promptWords } from '../text/prompt-words.ts';
import { timeAgo } from '../text/time.ts';

const MOST = 100;

/** The tasks that wait for their turn, the next one first. */
export function QueuedTasks() {
  const query = useRecords(['tasks', 'queue'], (client) =>
    client.tasks.find({ status: 'QUEUED', sort: 'oldest', limit: MOST }),
  );
  return (
    <Section title="Queue" about="Oldest first. Tasks in the same session run one at a time.">
      <QueryResult query={query}>
        {({ total, data: tasks }) => (
          <>
            <Rows label="Queued tasks" empty={<Nothing>Queue is empty</Nothing>}>
              {tasks.map((task) => (
                <Queued key={task.task_id} task={task} />
              ))}
            </Rows>
            {total > tasks.length && (
              <Nothing>And {some(total - tasks.length, 'more task')}.</Nothing>
            )}
          </>
        )}
      </QueryResult>
    </Section>
  );
}

function Queued({ task }: { task: ListedTask }) {
  const now = useNow();
  const agentName = useAgentName();
  const { session_id, backend, created_at, waits_behind } = task;
  return (
    <Row
      title={
        <ClampedLink href={`/sessions/${session_id}`} lines={2}>
          {promptWords(task)}
        </ClampedLink>
      }
      facts={[
        agentName(backend),
        `asked ${timeAgo(created_at, now)}`,
        waits_behind > 0 && <WhyQueued key="why" behind={waits_behind} />,
      ]}
    />
  );
}
