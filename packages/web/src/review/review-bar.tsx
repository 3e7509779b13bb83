import { randomId } from '@baton/client';
import type { ReviewComment } from '@baton/protocol';
import { useRef, useState } from 'react';
import { complain } from '../data/attempt.ts';
import { useDaemon } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { tell } from '../design/toasts.tsx';
import { some } from '../text/amounts.ts';
import { CommentCard } from './comment-card.tsx';
import styles from './review.module.css';

type Props = {
  session_id: string;
  comments: readonly ReviewComment[];
  /** Files that are shown with their comments. */
  shown: readonly string[];
  onAnswer: (taskId: string) => void;
};

/** Comments on files that are not shown, and a button that sends all drafts to the agent in one prompt. */
export function ReviewBar({ session_id, comments, shown, onAnswer }: Props) {
  const { client } = useDaemon();
  const [isBusy, setBusy] = useState(false);
  // A request whose answer was lost is repeated with the same id, so that the agent gets one prompt.
  const taskId = useRef<string>(undefined);
  const drafts = comments.filter(({ task_id }) => task_id === null);
  const send = async () => {
    taskId.current ??= randomId();
    setBusy(true);
    try {
      const comment_ids = drafts.map(({ comment_id }) => comment_id);
      await client.reviewComments.send({ session_id, comment_ids, task_id: taskId.current });
      taskId.current = undefined;
      makeStale('reviewComments', 'tasks');
      const view = `/sessions/${session_id}`;
      tell(`Sent ${some(drafts.length, 'comment')} to the agent.`, { tone: 'good', view });
    } catch (error) {
      complain(error);
    }
    setBusy(false);
  };
  const others = comments.filter(({ path }) => !shown.includes(path));
  return (
    <>
      {others.map((comment) => (
        <CommentCard key={comment.comment_id} {...{ comment, onAnswer }} isOutdated />
      ))}
      {drafts.length > 0 && (
        <section className={styles.bar} aria-label="Review">
          <span>{some(drafts.length, 'draft comment')}</span>
          <Button look="primary" icon="send" busy={isBusy} onClick={send}>
            Send to the agent
          </Button>
        </section>
      )}
    </>
  );
}
