import type { FileChange } from '@baton/protocol';
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { scrollerOf } from '../design/scroller-of.ts';
import { type ExpandedGaps, expandContext, headingsOf, numberGaps } from './expand-context.ts';
import type { ExpandGap } from './gap-line.tsx';
import { type DiffLine, parseDiff } from './parse-diff.ts';

/** The lines between the hunks of a diff, on demand. */
export type DiffContext = {
  /** The diff with all lines of the file, once it is loaded. */
  whole: string | undefined;
  /** Loads it; false if that is not possible. */
  load: () => Promise<boolean>;
};

const NONE: ExpandedGaps = new Map();

/** The lines of a diff with those that the user expanded; a hunk stays where it is while lines appear above it. */
export function useExpandedLines(
  change: FileChange,
  context: DiffContext | undefined,
  place: RefObject<HTMLElement | null>,
): { lines: readonly DiffLine[]; onExpand: ExpandGap } {
  const [extra, setExtra] = useState(NONE);
  const before = useRef<{ gap: number; top: number }>(undefined);
  const whole = context?.whole;
  const hasContext = context !== undefined;
  const lines = useMemo(() => {
    const { lines } = parseDiff(change);
    if (!hasContext) return lines;
    const numbered = numberGaps(lines);
    if (whole === undefined) return numbered;
    return expandContext(
      parseDiff({ kind: 'edit', diff: whole }).lines,
      extra,
      headingsOf(numbered),
    );
  }, [change, hasContext, whole, extra]);
  const rowOf = (gap: number) => place.current?.querySelector<HTMLElement>(`[data-hunk="${gap}"]`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows move when the lines change
  useLayoutEffect(() => {
    const { gap, top } = before.current ?? { gap: -1, top: 0 };
    before.current = undefined;
    const row = rowOf(gap);
    if (row) scrollerOf(row)?.scrollBy(0, row.getBoundingClientRect().top - top);
  }, [lines]);
  if (!context) return { lines, onExpand: undefined };
  return {
    lines,
    async onExpand(gap, count) {
      if (!(await context.load())) return;
      const row = rowOf(gap);
      if (row) before.current = { gap, top: row.getBoundingClientRect().top };
      setExtra((known) => new Map(known).set(gap, (known.get(gap) ?? 0) + count));
    },
  };
}
