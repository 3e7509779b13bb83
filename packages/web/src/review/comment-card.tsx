import { placeWords, type ReviewComment, showUnseenInText } from '@baton/protocol';
import { useState } from 'react';
import { attempt } from '../data/attempt.ts';
import { useDaemon, useMay } from '../data/daemon.tsx';
import { usePeople } from '../data/people.ts';
import { makeStale } from '../data/queries.ts';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { LiteralText } from '../design/literal-text.tsx';
import { CommentForm } from './comment-form.tsx';
import styles from './review.module.css';

type Props = {
  comment: ReviewComment;
  /** True if the lines have changed since, so that the place and the lines as they were are shown. */
  isOutdated?: boolean | undefined;
  /** Opens the transcript at the prompt that the comment was sent with. */
  onAnswer: (taskId: string) => void;
};

/** A comment with its state and actions. */
export function CommentCard({ comment, isOutdated, onAnswer }: Props) {
  const { client } = useDaemon();
  const may = useMay('member');
  const person = usePeople('first');
  const [isEdited, edit] = useState(false);
  const { comment_id, text, created_by, task_id, resolved_at, quote } = comment;
  const change = (act: () => Promise<unknown>) =>
    attempt(async () => {
      await act();
      makeStale('reviewComments');
    });
  if (isEdited) {
    return (
      <CommentForm
        draftKey={`comment ${comment_id}`}
        text={text}
        verb="Save"
        onClose={() => edit(false)}
        onSubmit={async (text) => {
          await client.reviewComments.patch(comment_id, { text });
          makeStale('reviewComments');
        }}
      />
    );
  }
  const isResolved = resolved_at !== null;
  return (
    <article className={styles.card} aria-label="Comment" data-resolved={isResolved || undefined}>
      <header className={styles.about}>
        <strong>{person(created_by) ?? 'Someone'}</strong>
        <State {...{ task_id, isResolved, isOutdated }} />
      </header>
      {isOutdated && (
        <>
          <p className={styles.place}>
            <LiteralText text={placeWords(comment)} />
          </p>
          {quote !== '' && <pre className={styles.quote}>{quote}</pre>}
        </>
      )}
      <p className={styles.text}>{showUnseenInText(text)}</p>
      <footer className={styles.actions}>
        {task_id !== null && (
          <Button small look="quiet" onClick={() => onAnswer(task_id)}>
            Show answer
          </Button>
        )}
        {may && task_id === null && (
          <Button small look="quiet" onClick={() => edit(true)}>
            Edit
          </Button>
        )}
        {may && task_id !== null && (
          <Button
            small
            look="quiet"
            onClick={() =>
              change(() => client.reviewComments.patch(comment_id, { is_resolved: !isResolved }))
            }
          >
            {isResolved ? 'Reopen' : 'Resolve'}
          </Button>
        )}
        {may && (
          <Button
            small
            look="quiet"
            onClick={() => change(() => client.reviewComments.remove(comment_id))}
          >
            Delete
          </Button>
        )}
      </footer>
    </article>
  );
}

type StateProps = {
  task_id: string | null;
  isResolved: boolean;
  isOutdated: boolean | undefined;
};

function State({ task_id, isResolved, isOutdated }: StateProps) {
  const state = isResolved ? 'Resolved' : task_id === null ? 'Draft' : 'Sent';
  return (
    <>
      <Badge tone={isResolved ? 'good' : task_id === null ? 'warn' : 'neutral'}>{state}</Badge>
      {isOutdated && <Badge>Lines changed since</Badge>}
    </>
  );
}
