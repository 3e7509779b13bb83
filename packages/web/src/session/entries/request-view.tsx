import { RequestCard } from '../../requests/request-card.tsx';
import { SettledRequest } from '../../requests/settled-request.tsx';
import { useOpen, useTasks } from '../feed/open-session.tsx';
import type { PermissionEntry, QuestionEntry } from './entry-of.ts';

/** A pending request of the agent, or the outcome of a settled one. */
export function RequestView({ entry }: { entry: PermissionEntry | QuestionEntry }) {
  const { feed, cwd } = useOpen();
  const tasks = useTasks();
  const requestId = entry.kind === 'permission' ? entry.request.requestId : entry.requestId;
  const isOver = tasks.some(
    ({ task_id, completed_at }) => task_id === entry.taskId && completed_at,
  );
  if (!entry.open || entry.answer || isOver) return <SettledRequest entry={entry} />;
  return (
    <RequestCard
      session={{ cwd }}
      asked={{
        session_id: feed.sessionId,
        task_id: entry.taskId ?? '',
        request_id: requestId,
        ...(entry.kind === 'permission'
          ? { kind: 'permission', request: entry.request }
          : { kind: 'question', request: { requestId, questions: entry.questions } }),
      }}
    />
  );
}
