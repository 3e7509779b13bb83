import type { TrueChanges } from '@baton/client';
import { type LineRange, movedLines, type ReviewComment } from '@baton/protocol';
import { useMemo } from 'react';
import { useRecords } from '../data/queries.ts';

export type Trees = Pick<TrueChanges, 'from' | 'to'>;

/** A comment and the lines that it is about now; none if they have changed since, or if it is about the whole file. */
type PlacedComment = { comment: ReviewComment; lines: LineRange | undefined };

/** Somebody else may write comments on the same change. */
const LOOK_MS = 10_000;

/** The comments on the change of a session, oldest first. */
export function useComments(session_id: string): readonly ReviewComment[] {
  const { data } = useRecords(
    ['reviewComments', session_id],
    (client) => client.reviewComments.find(session_id),
    { everyMs: LOOK_MS, onReturn: true },
  );
  return data ?? NONE;
}

const NONE: readonly ReviewComment[] = [];

/** Finds the present lines of comments on a file, which may have moved since they were written. */
export function usePlaced(
  session_id: string,
  { path, trees }: { path: string; trees: Trees },
  all: readonly ReviewComment[],
): readonly PlacedComment[] {
  const { from, to } = trees;
  const comments = useMemo(() => all.filter((comment) => comment.path === path), [all, path]);
  const treeOf = ({ side }: ReviewComment) => (side === 'old' ? from : to);
  const older = comments.filter(
    (comment) => comment.line !== null && comment.tree !== treeOf(comment),
  );
  const pairs = [...new Set(older.map((comment) => `${comment.tree} ${treeOf(comment)}`))];
  const { data } = useRecords(
    ['changes', session_id, 'moved', path, ...pairs],
    async (client) => {
      const patches = pairs.map(async (pair) => {
        const [from = '', to = ''] = pair.split(' ');
        const { patch, cut } = await client.changes.diff({
          ...{ session_id, from, to, path },
          context: 0,
        });
        return [pair, cut ? undefined : patch] as const;
      });
      return new Map(await Promise.all(patches));
    },
    { enabled: pairs.length > 0 },
  );
  return useMemo(
    () =>
      comments.map((comment) => {
        const { line, end_line, tree, side } = comment;
        if (line === null) return { comment, lines: undefined };
        const range = { line, end_line: end_line ?? line };
        const now = side === 'old' ? from : to;
        if (tree === now) return { comment, lines: range };
        const patch = data?.get(`${tree} ${now}`);
        return { comment, lines: patch === undefined ? undefined : movedLines(patch, range) };
      }),
    [comments, data, from, to],
  );
}
