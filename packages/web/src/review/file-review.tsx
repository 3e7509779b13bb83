import type { ReviewComment } from '@baton/protocol';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useDaemon, useMay } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';
import type { DiffReview, LineSide } from '../diff/diff-review.ts';
import { CommentCard } from './comment-card.tsx';
import { CommentForm } from './comment-form.tsx';
import { type Trees, usePlaced } from './use-comments.ts';

type Props = {
  session_id: string;
  path: string;
  trees: Trees;
  /** All comments of the session. */
  comments: readonly ReviewComment[];
  onAnswer: (taskId: string) => void;
  /** True while a comment on the whole file is being written. */
  isOnFile: boolean;
  onFileDone: () => void;
  /** Shows the diff with the comments between its lines. */
  children: (review: DiffReview) => ReactNode;
};

/** Lines that a comment is being written on. */
type Chosen = { side: LineSide; line: number; end_line: number };

/** Comments on a file: those on lines in its diff, the others above it. */
export function FileReview(props: Props) {
  const { session_id, path, trees, comments, onAnswer, isOnFile, onFileDone, children } = props;
  const { client } = useDaemon();
  const may = useMay('member');
  const [chosen, choose] = useState<Chosen>();
  const placed = usePlaced(session_id, { path, trees }, comments);
  const { from, to } = trees;
  const write = useCallback(
    async (place: Chosen | undefined, quote: string, text: string) => {
      const { side, line, end_line } = place ?? { side: 'new', line: null, end_line: null };
      const where = { session_id, path, side, line, end_line, tree: side === 'old' ? from : to };
      await client.reviewComments.create({ ...where, quote, text });
      makeStale('reviewComments');
    },
    [client, session_id, path, from, to],
  );
  const review = useMemo(
    (): DiffReview => ({
      onLine: may
        ? (side, line, extend) =>
            choose((before) =>
              extend && before?.side === side
                ? {
                    side,
                    line: Math.min(before.line, line),
                    end_line: Math.max(before.line, line),
                  }
                : { side, line, end_line: line },
            )
        : undefined,
      isChosen: (side, line) =>
        chosen?.side === side && chosen.line <= line && line <= chosen.end_line,
      below: (side, line, quoteOf) => {
        const here = placed.filter(
          ({ comment, lines }) => comment.side === side && lines?.end_line === line,
        );
        const isForm = chosen?.side === side && chosen.end_line === line;
        if (here.length === 0 && !isForm) return null;
        return (
          <>
            {here.map(({ comment }) => (
              <CommentCard key={comment.comment_id} {...{ comment, onAnswer }} />
            ))}
            {isForm && (
              <CommentForm
                key={`${side} ${line}`}
                about={linesWords(chosen)}
                verb="Add comment"
                onClose={() => choose(undefined)}
                onSubmit={(text) => write(chosen, quoteOf(chosen.line, chosen.end_line), text)}
              />
            )}
          </>
        );
      },
    }),
    [may, chosen, placed, onAnswer, write],
  );
  const elsewhere = placed.filter(({ lines }) => lines === undefined);
  return (
    <>
      {elsewhere.map(({ comment }) => (
        <CommentCard
          key={comment.comment_id}
          {...{ comment, onAnswer }}
          isOutdated={comment.line !== null}
        />
      ))}
      {isOnFile && (
        <CommentForm
          about={path}
          verb="Add comment"
          onClose={onFileDone}
          onSubmit={(text) => write(undefined, '', text)}
        />
      )}
      {children(review)}
    </>
  );
}

function linesWords({ line, end_line }: Chosen): string {
  return line === end_line ? `line ${line}` : `lines ${line} to ${end_line}`;
}
