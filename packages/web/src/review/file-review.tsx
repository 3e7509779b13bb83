import type { ReviewComment } from '@baton/protocol';
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
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
type Chosen = {
  side: LineSide;
  line: number;
  end_line: number;
  /** The tree in which the lines have these numbers: files may change while somebody writes. */
  tree: string;
};

/** Comments on a file: those on lines in its diff, the others above it. */
export function FileReview(props: Props) {
  const { session_id, path, trees, comments, onAnswer, isOnFile, onFileDone, children } = props;
  const { client } = useDaemon();
  const may = useMay('member');
  const [chosen, choose] = useState<Chosen>();
  /** The chosen lines as they were when they were chosen. */
  const quoted = useRef<{ of: Chosen; text: string }>(undefined);
  const draftKey = `comment ${session_id} ${path}`;
  const placed = usePlaced(session_id, { path, trees }, comments);
  const { from, to } = trees;
  const write = useCallback(
    async (place: Chosen | undefined, quote: string, text: string) => {
      const where = place ?? { side: 'new' as const, line: null, end_line: null, tree: to };
      await client.reviewComments.create({ session_id, path, ...where, quote, text });
      makeStale('reviewComments');
    },
    [client, session_id, path, to],
  );
  const review = useMemo(
    (): DiffReview => ({
      onLine: may
        ? (side, line, extend) => {
            const tree = side === 'old' ? from : to;
            choose((before) =>
              extend && before?.side === side && before.tree === tree
                ? {
                    side,
                    tree,
                    line: Math.min(before.line, line),
                    end_line: Math.max(before.line, line),
                  }
                : { side, tree, line, end_line: line },
            );
          }
        : undefined,
      isChosen: (side, line) =>
        chosen?.side === side && chosen.line <= line && line <= chosen.end_line,
      below: (side, line, quoteOf) => {
        const here = placed.filter(
          ({ comment, lines }) => comment.side === side && lines?.end_line === line,
        );
        const isForm = chosen?.side === side && chosen.end_line === line;
        if (here.length === 0 && !isForm) return null;
        if (isForm && quoted.current?.of !== chosen) {
          quoted.current = { of: chosen, text: quoteOf(chosen.line, chosen.end_line) };
        }
        return (
          <>
            {here.map(({ comment }) => (
              <CommentCard key={comment.comment_id} {...{ comment, onAnswer }} />
            ))}
            {isForm && (
              <CommentForm
                key={`${side} ${line}`}
                draftKey={draftKey}
                about={linesWords(chosen)}
                verb="Add comment"
                onClose={() => choose(undefined)}
                onSubmit={(text) => write(chosen, quoted.current?.text ?? '', text)}
              />
            )}
          </>
        );
      },
    }),
    [may, chosen, placed, onAnswer, write, draftKey, from, to],
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
          draftKey={`${draftKey} file`}
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
