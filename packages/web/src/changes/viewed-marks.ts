import type { TrueChange, TrueChanges } from '@baton/client';
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { StoredChoice } from '../data/stored-choice.ts';

type Trees = Pick<TrueChanges, 'from' | 'to'>;

export type ViewedMarks = {
  has(file: TrueChange): boolean;
  set(file: TrueChange, isViewed: boolean): void;
};

/** Marks that are kept in this browser, of all sessions together; the oldest are dropped. */
const MOST_MARKS = 3000;
/** Enough of an object id to tell two contents of one file apart. */
const ID_LENGTH = 16;

const choice = new StoredChoice('baton.viewed');

/** The files of a session that this user has viewed. A mark is for one content: it is gone once the file changes again. */
export function useViewedMarks(session_id: string, { from, to }: Trees): ViewedMarks {
  const stored = useSyncExternalStore(choice.subscribe, () => choice.get());
  const marks = useMemo(() => new Set(parse(stored)), [stored]);
  const markOf = useCallback(
    ({ path, old_id, new_id }: TrueChange) => {
      const hasIds = old_id !== undefined || new_id !== undefined;
      const ids = hasIds ? [old_id, new_id] : [from, to];
      const content = ids.map((id = '') => id.slice(0, ID_LENGTH)).join('-');
      return `${session_id} ${content} ${path}`;
    },
    [session_id, from, to],
  );
  return useMemo(
    () => ({
      has: (file) => marks.has(markOf(file)),
      set(file, isViewed) {
        const mark = markOf(file);
        // Another window may have set marks since.
        const others = parse(choice.get()).filter((each) => each !== mark);
        const all = isViewed ? [...others, mark] : others;
        choice.set(JSON.stringify(all.slice(-MOST_MARKS)));
      },
    }),
    [marks, markOf],
  );
}

function parse(stored: string | undefined): string[] {
  try {
    const marks: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(marks) ? marks.filter((mark) => typeof mark === 'string') : [];
  } catch {
    return [];
  }
}
